"""What is known of the classes of torch.optim.lr_scheduler, beside what their methods do."""

from __future__ import annotations

# Schedulers by what one step() counts; "horizon" names the arguments that tell.
STEP_UNIT_SCHEDULERS = frozenset({"OneCycleLR", "CyclicLR"})
# A cycle whose length is given in epochs is meant to be stepped once an epoch: it works, though the page says otherwise.
TOTALS = {"OneCycleLR": (2, "total_steps"), "CyclicLR": (3, "step_size_up")}
# Schedulers without a horizon: what is named for a unit, if anything is, is the factor.
SCHEDULER_FACTORS = {"ExponentialLR": (1, "gamma")}
SCHEDULER_HORIZONS: dict[str, tuple[tuple[int, str], ...]] = {
    "CosineAnnealingLR": ((1, "T_max"),),
    "MultiStepLR": ((1, "milestones"),),
    "StepLR": ((1, "step_size"),),
    "LinearLR": ((3, "total_iters"),),
    "ConstantLR": ((2, "total_iters"),),
    "PolynomialLR": ((1, "total_iters"),),
    "CosineAnnealingWarmRestarts": ((1, "T_0"),),
    "SequentialLR": ((2, "milestones"),),
    "LambdaLR": ((1, "lr_lambda"),),
    "MultiplicativeLR": ((1, "lr_lambda"),),
}
# Attributes of torch's schedulers that say how far one has got.
PLACES = frozenset({"last_epoch", "_step_count"})
# Attributes of torch's optimizers that have the rate which is in force.
RATES = frozenset({"param_groups"})
# Where schedulers of the whole training are told after how many steps they end.
ENDS = {
    **{name: SCHEDULER_HORIZONS[name][0] for name in ("CosineAnnealingLR", "PolynomialLR")},
    "OneCycleLR": TOTALS["OneCycleLR"],
    "get_linear_schedule_with_warmup": (2, "num_training_steps"),
    "get_cosine_schedule_with_warmup": (2, "num_training_steps"),
    "get_polynomial_decay_schedule_with_warmup": (2, "num_training_steps"),
    "get_scheduler": (3, "num_training_steps"),
}
# Schedulers whose next rate follows from the present one, wherever they count from.
MEMORYLESS_SCHEDULERS = frozenset({"torch.optim.lr_scheduler.ExponentialLR"})
