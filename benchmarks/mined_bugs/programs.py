"""The minimal programs: each is a correct one with the rows changed that make the bug."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.mined_bugs.bases import (
    ACCUMULATING,
    ADVERSARIAL,
    BEST,
    DATA,
    EPOCH,
    EVALUATION,
    FROZEN,
    HEAD,
    INLINE,
    MAIN,
    RESUMED,
    SCALED,
    SCHEDULED,
)

PLAIN = HEAD + EPOCH + EVALUATION + DATA + MAIN
ONE_LOOP = HEAD + EVALUATION + DATA + INLINE
ACCUMULATED = HEAD + ACCUMULATING + EVALUATION + DATA + MAIN
MIXED = HEAD + SCALED + EVALUATION + DATA + MAIN
KEEPS_BEST = HEAD + EPOCH + EVALUATION + DATA + BEST
RESUMES = HEAD + EPOCH + EVALUATION + DATA + RESUMED
GAN = HEAD + ADVERSARIAL
BUILT = "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n"
FREEZES = HEAD + FROZEN + EPOCH + EVALUATION + DATA.replace("Net()", "Classifier()") + "model.encoder.requires_grad_(False)\n" + MAIN
HORIZON = "scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5 * math.ceil(len(train_loader) / 4))\n"
UPDATES = (
    HEAD
    + SCHEDULED
    + EVALUATION
    + DATA
    + HORIZON
    + MAIN.replace("optimizer, criterion)\n    print", "optimizer, criterion, scheduler)\n    print")
)
CORRECT = {
    "plain": PLAIN,
    "one_loop": ONE_LOOP,
    "accumulated": ACCUMULATED,
    "mixed": MIXED,
    "keeps_best": KEEPS_BEST,
    "resumes": RESUMES,
    "gan": GAN,
    "updates": UPDATES,
}


def edit(text: str, *changes: str) -> str:
    """A program with pieces replaced, given in pairs; each has to be there."""
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        if old not in text:
            raise ValueError(f"nothing to replace: {old!r}")
        text = text.replace(old, new)
    return text


def _gradients() -> Iterator[tuple[str, str]]:
    clear, step = "        optimizer.zero_grad()\n", "        optimizer.step()\n"
    clip = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    yield "never_cleared", edit(PLAIN, clear, "")
    yield "cleared_once_an_epoch", edit(PLAIN, clear, "", "    total = 0.0\n    for", "    total = 0.0\n    optimizer.zero_grad()\n    for")
    yield "accumulation_not_divided", edit(ACCUMULATED, " / accum\n", "\n")
    yield "cleared_for_every_batch", edit(ACCUMULATED, "        loss = crit", f"{clear}        loss = crit")
    yield "last_batches_dropped", edit(ACCUMULATED, " or step + 1 == len(loader)", "")
    yield (
        "clip_of_each_part",
        edit(ACCUMULATED, f"            {clip}", "", "        loss.backward()\n", f"        loss.backward()\n        {clip}"),
    )
    yield "clip_after_the_step", edit(PLAIN, step, f"{step}        {clip}")
    yield "schedule_in_place_of_the_step", edit(
        PLAIN,
        BUILT, f"{BUILT}scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10)\n",
        "criterion):\n    model.train", "criterion, scheduler):\n    model.train",
        step, f"        if scheduler:\n            scheduler.step()\n        else:\n    {step}",
        "optimizer, criterion)\n    print", "optimizer, criterion, scheduler)\n    print",
    )  # fmt: skip
    lit = (
        "\nimport lightning as L\n\n\nclass Lit(L.LightningModule):\n    def __init__(self):\n        super().__init__()\n        self.net = Net()\n\n"
        "    def training_step(self, batch, idx):\n        x, y = batch\n        loss = F.cross_entropy(self.net(x), y)\n"
        "        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)\n        return loss\n\n"
        "    def configure_optimizers(self):\n        return torch.optim.Adam(self.parameters())\n\n\n"
    )
    yield "clip_in_a_training_step", HEAD + lit + DATA + "L.Trainer(max_epochs=3).fit(Lit(), train_loader)\n"
    accelerated = edit(
        ONE_LOOP,
        INLINE, "from accelerate import Accelerator\n\naccelerator = Accelerator(gradient_accumulation_steps=4)\n"
        "model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)\nfor epoch in range(5):\n    model.train()\n"
        "    for x, y in train_loader:\n        with accelerator.accumulate(model):\n            optimizer.zero_grad()\n"
        "            loss = criterion(model(x), y)\n            accelerator.backward(loss)\n            optimizer.step()\n",
    )  # fmt: skip
    yield "cleared_before_accelerate_accumulates", accelerated
    yield "synchronized_at_another_batch", edit(
        ONE_LOOP,
        INLINE, "\nmodel = nn.parallel.DistributedDataParallel(model)\nfor epoch in range(5):\n    model.train()\n"
        "    for step, (x, y) in enumerate(train_loader):\n        loss = criterion(model(x), y) / 4\n        if step % 4:\n"
        "            with model.no_sync():\n                loss.backward()\n        else:\n            loss.backward()\n"
        "        if (step + 1) % 4 == 0:\n            optimizer.step()\n            optimizer.zero_grad()\n",
    )  # fmt: skip


def _modes() -> Iterator[tuple[str, str]]:
    yield "no_eval", edit(PLAIN, "    model.eval()\n", "")
    loaded = 'model = Net().to(device)\nmodel.load_state_dict(torch.load("model.pt", map_location=device))\n'
    tested = DATA.partition("model =")[0] + loaded + "print(evaluate(model, val_loader, nn.CrossEntropyLoss()))\n"
    yield "no_eval_of_a_loaded_model", edit(HEAD + EVALUATION + tested, "    model.eval()\n", "")
    yield "train_in_the_validation", edit(PLAIN, "        out = model(x)\n", "        model.train()\n        out = model(x)\n")
    yield "train_once", edit(PLAIN, "    model.train()\n", "", "\nfor epoch", "\nmodel.train()\nfor epoch")
    now_and_then = "        if step % 50 == 0:\n            print(evaluate(model, val_loader, criterion))\n"
    yield "evaluated_between_batches", edit(
        ONE_LOOP, "for x, y in train_loader:", "for step, (x, y) in enumerate(train_loader):", "        optimizer.step()\n", f"        optimizer.step()\n{now_and_then}"
    )  # fmt: skip
    yield "trained_in_eval_mode", edit(PLAIN, "    model.train()\n", "    model.eval()\n")
    yield "no_no_grad", edit(PLAIN, "@torch.no_grad()\n", "")
    yield "frozen_part_normalises", FREEZES
    yield "eval_of_a_frozen_part_undone", edit(FREEZES, "requires_grad_(False)\n", "requires_grad_(False)\nmodel.encoder.eval()\n")
    teacher = '\nteacher = Net().to(device)\nteacher.load_state_dict(torch.load("teacher.pt", map_location=device))\nfor epoch in range(30)'
    with_teacher = (
        "        with torch.no_grad():\n            soft = teacher(x).softmax(1)\n        loss = F.kl_div(model(x).log_softmax(1), soft)\n"
    )
    yield (
        "teacher_in_train_mode",
        edit(ONE_LOOP, "\nfor epoch in range(30)", teacher, "        loss = criterion(model(x), y)\n", with_teacher),
    )
    attention = (
        "\n\nclass Attention(nn.Module):\n    def __init__(self, dropout=0.1):\n        super().__init__()\n        self.qkv = nn.Linear(8, 24)\n"
        "        self.dropout = dropout\n        self.out = nn.Linear(8, 3)\n\n    def forward(self, x):\n        q, k, v = self.qkv(x)[:, None].chunk(3, dim=-1)\n"
        "        return self.out(F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)[:, 0])\n"
    )
    yield "attention_drops_in_eval_mode", edit(HEAD + attention + PLAIN.removeprefix(HEAD), "model = Net()", "model = Attention()")
    yield "freezing_taken_back", edit(FREEZES, "\nfor epoch", "for p in model.parameters():\n    p.requires_grad = True\n\nfor epoch")
    yield "requires_grad_of_a_module", edit(FREEZES, "model.encoder.requires_grad_(False)", "model.encoder.requires_grad = False")


def _memory() -> Iterator[tuple[str, str]]:
    yield "sum_of_losses", edit(PLAIN, "total += loss.item()", "total += loss")
    yield (
        "outputs_kept",
        edit(
            PLAIN,
            "    total = 0.0\n    for",
            "    total, kept = 0.0, []\n    for",
            "total += loss.item()",
            "total += loss.item()\n        kept.append(model(x))",
        ),
    )
    yield "retained_graph", edit(PLAIN, "loss.backward()", "loss.backward(retain_graph=True)")
    recurrent = (
        "\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.rnn = nn.LSTM(1, 16, batch_first=True)\n        self.out = nn.Linear(16, 3)\n\n"
        "    def forward(self, x, state=None):\n        y, state = self.rnn(x[..., None], state)\n        return self.out(y[:, -1]), state\n\n\n"
    )
    carried = edit(
        ONE_LOOP,
        "    for x, y in train_loader",
        "    state = None\n    for x, y in train_loader",
        "        loss = criterion(model(x), y)\n",
        "        out, state = model(x, state)\n        loss = criterion(out, y)\n",
    )
    yield (
        "state_carried_with_its_graph",
        edit(
            carried,
            "\nfor epoch",
            f"{recurrent}model = Net().to(device)\n{BUILT}\nfor epoch",
            "loss.backward()",
            "loss.backward(retain_graph=True)",
        ),
    )
    yield "sync_every_batch", edit(PLAIN, "total += loss.item()", "total += loss.item()\n        print(loss.item())")


def _schedules() -> Iterator[tuple[str, str]]:
    cosine = "scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=30)\n"
    yield (
        "epochs_counted_in_batches",
        edit(ONE_LOOP, BUILT, BUILT + cosine, "        optimizer.step()\n", "        optimizer.step()\n        scheduler.step()\n"),
    )
    yield "never_stepped", edit(ONE_LOOP, BUILT, BUILT + cosine)
    yield (
        "stepped_before_the_epoch",
        edit(ONE_LOOP, BUILT, BUILT + cosine, "    model.train()\n", "    scheduler.step()\n    model.train()\n"),
    )
    warm = "scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 100))\n"
    twice = edit(ONE_LOOP, BUILT, BUILT + warm, "        optimizer.step()\n", "        optimizer.step()\n        scheduler.step()\n")
    yield "stepped_twice", edit(twice, "    print(evaluate", "    scheduler.step()\n    print(evaluate")
    yield (
        "updates_counted_in_batches",
        edit(
            UPDATES,
            "            scheduler.step()\n            optimizer.zero_grad()\n",
            "            optimizer.zero_grad()\n        scheduler.step()\n",
        ),
    )
    yield "batches_counted_in_updates", edit(UPDATES, "5 * math.ceil(len(train_loader) / 4)", "5 * len(train_loader)")


def _precision() -> Iterator[tuple[str, str]]:
    yield "clip_of_scaled_gradients", edit(MIXED, "        scaler.unscale_(optimizer)\n", "")
    under = "        with torch.autocast(device_type=str(device)):\n            loss = criterion(model(x), y)\n"
    yield "float16_without_scaler", edit(PLAIN, "        loss = criterion(model(x), y)\n", under)
    yield "scaler_updated_twice", edit(MIXED, "        scaler.update()\n", "        scaler.update()\n        scaler.update()\n")
    yield "scaler_for_bfloat16", edit(MIXED, "torch.float16", "torch.bfloat16")


def _data() -> Iterator[tuple[str, str]]:
    yield "not_shuffled", edit(PLAIN, ", shuffle=True", "")
    sampled = "sampler = DistributedSampler(train_set)\ntrain_loader = DataLoader(train_set, batch_size=32, sampler=sampler)"
    yield "epoch_never_set", edit(PLAIN, "train_loader = DataLoader(train_set, batch_size=32, shuffle=True)", sampled)
    yield "validation_on_the_training_data", edit(PLAIN, "DataLoader(val_set", "DataLoader(train_set")
    yield "evaluation_drops_items", edit(PLAIN, "DataLoader(val_set, batch_size=32)", "DataLoader(val_set, batch_size=48, drop_last=True)")
    yield (
        "evaluation_repeats_items",
        edit(PLAIN, "DataLoader(val_set, batch_size=32)", "DataLoader(val_set, batch_size=32, sampler=DistributedSampler(val_set))"),
    )


def _losses() -> Iterator[tuple[str, str]]:
    yield "softmax_twice", edit(PLAIN, "criterion(model(x), y)", "criterion(model(x).softmax(1), y)")
    yield "last_batch_for_the_epoch", edit(PLAIN, "return total / len(loader)", "return loss.item()")
    mean = edit(PLAIN, "criterion(out, y).item() * len(y)", "criterion(out, y).item()")
    yield (
        "mean_of_means",
        edit(
            mean,
            "return total / seen",
            "return total / len(loader)",
            "DataLoader(val_set, batch_size=32)",
            "DataLoader(val_set, batch_size=48)",
        ),
    )
    yield "means_divided_by_items", edit(mean, "return total / seen", "return total / len(loader.dataset)")
    yield "sum_of_means", edit(mean, "return total / seen", "return total")


def _parameters() -> Iterator[tuple[str, str]]:
    yield "moved_after_the_optimizer", edit(PLAIN, "model = Net().to(device)", "model = Net()", BUILT, f"{BUILT}model.to(device)\n")
    layers = (
        "\n\nclass Mlp(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layers = {kept}\n        self.out = nn.Linear(8, 3)\n\n"
        "    def forward(self, x):\n        for layer in self.layers{all}:\n            x = torch.relu({use})\n        return self.out(x)\n"
    )
    listed = layers.format(kept="[nn.Linear(8, 8) for _ in range(3)]", all="", use="layer(x)")
    yield "layers_in_a_list", edit(HEAD + listed + PLAIN.removeprefix(HEAD), "model = Net()", "model = Mlp()")
    named = layers.format(kept="{k: nn.Parameter(torch.randn(8, 8)) for k in range(3)}", all=".values()", use="x @ layer")
    yield "parameters_in_a_dict", edit(HEAD + named + PLAIN.removeprefix(HEAD), "model = Net()", "model = Mlp()")
    averaged = "        with torch.no_grad():\n            for a, b in zip(ema.parameters(), model.parameters()):\n                a.mul_(0.999).add_(b, alpha=0.001)\n"
    yield "average_without_buffers", edit(
        ONE_LOOP, "\nfor epoch", "\nema = copy.deepcopy(model)\nfor epoch", "        optimizer.step()\n", f"        optimizer.step()\n{averaged}", "evaluate(model, val", "evaluate(ema, val"
    )  # fmt: skip


def _checkpoints() -> Iterator[tuple[str, str]]:
    copied = "copy.deepcopy(model.state_dict())"
    yield "best_state_not_copied", edit(KEEPS_BEST, copied, "model.state_dict()")
    yield "best_state_copied_flat", edit(KEEPS_BEST, copied, "model.state_dict().copy()")
    yield (
        "best_model_by_name",
        edit(KEEPS_BEST, copied, "model", "model.load_state_dict(best_state)\n", "", "print(evaluate(model", "print(evaluate(best_state"),
    )
    yield "best_state_never_used", edit(KEEPS_BEST, "model.load_state_dict(best_state)\n", "")
    yield (
        "resumed_without_optimizer",
        edit(RESUMES, '    optimizer.load_state_dict(state["optimizer"])\n', "", '"optimizer": optimizer.state_dict(), ', ""),
    )
    yield (
        "resumed_without_schedule",
        edit(RESUMES, '    scheduler.load_state_dict(state["scheduler"])\n', "", '"scheduler": scheduler.state_dict(), ', ""),
    )
    yield (
        "trained_by_its_own_loss",
        edit(
            KEEPS_BEST,
            "    train_epoch(model",
            "    accuracy = -train_epoch(model",
            "    _, accuracy = evaluate(model, val_loader, criterion)\n",
            "",
            "best, best_state = 0.0, None",
            "best, best_state = -math.inf, None",
        ),
    )


def _adversaries() -> Iterator[tuple[str, str]]:
    yield "fake_not_detached", edit(GAN, "disc(fake.detach())", "disc(fake)", "loss_d.backward()", "loss_d.backward(retain_graph=True)")
    yield "discriminator_not_cleared", edit(GAN, "        opt_d.zero_grad()\n", "")
    yield (
        "adversarial_term_detached",
        edit(GAN, "loss_g = bce(disc(fake), ones)", "loss_g = F.l1_loss(fake, real) + bce(disc(fake.detach()), ones)"),
    )


PROGRAMS: dict[str, str] = dict(
    each
    for group in (_gradients, _modes, _memory, _schedules, _precision, _data, _losses, _parameters, _checkpoints, _adversaries)
    for each in group()
)
