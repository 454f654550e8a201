"""What the name of a function or method tells of what it does, where its code is out of sight: a guess, and believed of little more than names say."""

from __future__ import annotations

import re

# Most programs ask few of these: each is compiled, and then kept by `re`, when it is first looked for.

# What a function is called that sets the learning rate, and no more.
_OF_RATES = r"(?i)(^|_)(adjust|set|update|change|decay|modify|reset|warm\w*|get|print|log)_(\w+_)?(lr|learning_rate)s?(_|$)"

# What a function is called that writes down what it is given, or reads a batch: gradients, modes and optimizers are as they were. Those of TensorBoard's
# SummaryWriter are among them, whose `add_graph` puts a model back in the mode in which it was.
_OF_RECORDS = (
    r"(?i)_*((log|write|print|report|record|parse)(_(?!.*(step|train|eval|backward|optimi))|$)"
    r"|add_(graph|scalar|image|figure|histogram|text|embedding|hparam|video|audio|mesh)s?(_\w+)?$)"
)

# The same of the methods of what is called a logger: `self.logger.debug(model)`.
_OF_LOGGERS = r"(?i)(?:^|[._])(?:\w+_)?(?:log|logger|logging)\.(?:debug|info|warn|warning|error|critical|exception)$"

_STATE = r"(ckpt|chkpt|checkpoint|model|weight|state|state_?dict|snapshot|network|net|optimizer)s?"
# What a function is called that writes a state to a file, and no more: `save`, `save_checkpoint`, `save_best_model`, `saveWeights`, `save_to_zip_file`.
_OF_SAVING = rf"(?i)_*save(_?(\w+_)?{_STATE}(_to_\w+|_if_\w+)?|_to_(?!.*(step|train|eval|backward|optimi))\w+)?$"

# What is called to take a step in an environment: `self.eval_env.step(action)`.
_OF_ENVIRONMENTS = r"(?i)(?:^|.*\.)\w*env(?:s|ironments?)?\.step$"

# What a class is called whose objects save and restore the states of what they are made with, or what makes such a one: `DetectionCheckpointer(model)`.
_OF_CHECKPOINTERS = r"(?i)\w*(checkpointer|(checkpoint|ckpt)_?(saver|manager|handler|keeper|io))$"

# What a function is called that asks what a model is, how large, or for its state: `is_parallel(model)`, `count_parameters(model)`, `params_count(model)`,
# `get_model_state_dict(model)`; or whether numbers are finite: `_check_nan(loss)`, `assert_finite_gradients(model)`.
_FINITE = r"(check|assert|verify|raise_if|detect)_(for_|is_|not_|no_)*(\w+_)?(nans?|infs?|finite|numerics|nan_or_inf|inf_or_nan)(_(loss(es)?|grad(ient)?s?|values?|tensors?|params?))?"
_OF_QUESTIONS = rf"(?i)_*((is|has)_\w+|{_FINITE}|(get|collect|gather|extract)_(\w+_)?state_dicts?|(get_|compute_)?((count|num|number|n|total|size)_(of_)?(\w+_)?param(eter)?s|(\w+_)?param(eter)?s?_(count|number)))$"

# What a function is called that restores a state: `load_checkpoint`, `maybe_load_checkpoint`, `resume_from_checkpoint`, `restore`.
_OF_LOADING = rf"(?i)_*((try|maybe|auto)_)?(load|restore|resume|reload)(_?((?!(and|then)_)\w+_)?({_STATE}|from_\w+)(_from_\w+|_if_\w+)?)?$"

# What a function is called that computes a loss, and no more: the models that it is given run, and their gradients and modes are as they were.
_OF_LOSSES = r"(?i)(?!.*(backward|grad|step|update|optimi|minimi|train_|eval|val_|valid|test|estimate))(.*_)?(loss(es|_fn|_func|_fct|_function)?|criterion(_?\w+)?)$"

# What a function is called that gives what models have under a name: `gather_attribute(model, "loss")`.
_OF_ATTRIBUTES = r"(?i)_*(get|gather|collect|extract|fetch|find|read)_(\w+_)?(attr|attribute|field|member)s?(_(of|from|by)_\w+)?$"

# What a function is called that differentiates the models that it is given: `compute_gradient_penalty(real, fake, discriminator)`.
_OF_GRADIENTS = r"(?i)penalty|jacobian|hessian|(^|_)(compute|calc|calculate|input|saliency)_(\w+_)?grad(ient)?s?$"

# What a function is called that moves the weights of a copy towards those of a model: `update_momentum(student, teacher)`, `soft_update(net, target)`.
_OF_AVERAGES = (
    r"(?i)(?!.*(train|optimi|grad|loss))_*((update|apply|step)_(\w+_)?(ema|momentum|(moving_)?average|target|teacher)"
    r"|(\w+_)?(ema|momentum|moving_average|polyak|soft|target|teacher)_(update|averag(e|ing)))(s|_\w+)?$"
)

# Words in the names of methods that train, and the beginnings of those of methods that keep, count or show what they are given.
_OF_FITTING = r"(^|_)(learn|train|fit|optimi[sz]e|minimi[sz]e)(_|$)"
_OF_TRAINING = rf"backward|(^|_)step(_|$)|{_OF_FITTING}"
# The same in the names of what may change gradients, or the parameters by them, where none are recorded.
_CHANGING_GRADIENTS = rf"{_OF_TRAINING}|(?i:zero|clear|reset|grad|update|sgd|adam)"
_OF_NOTES = (
    r"_*(add|append|extend|insert|push|put|store|record|collect|register|set|update|log|report|write|print|save|dump|plot|show|display|visuali|draw"
    r"|accumulate|count|measure|track|observe|evaluate|process|assert|check|info|debug|warn)"
)

_MEASURES = r"(?:metric|evaluat|meter|scor|accurac|acc(?![a-z])|psnr|ssim|lpips|iou|confusion|(?<![a-z])fid(?![a-z])|(?<![a-z])(?:wer|cer|bleu|auc|f1)(?![a-z]))"
# `evaluator.update(outputs)`, `self.metrics.add(...)`; and `compute_metrics(outputs)`, `get_accuracy(outputs, labels)`.
_KEEPER = rf"(?i){_MEASURES}[^.]*$"
_ENTERING = frozenset({"add", "append", "appendleft", "extend", "insert", "push", "put", "put_nowait", "setdefault"})
_KEEPING = frozenset({"update", "add", "append", "add_batch", "process", "accumulate", "collect"})
_COMPUTER = rf"(?i)(?:^|[._])(?:compute|calc|calculate|get|measure|eval|evaluate|update)_[^.]*{_MEASURES}[^.]*$"
# `metrics(outputs, labels)`, `self.accuracy_fn(...)`: a name that says no more than that; a similarity such as SSIM may be a loss.
_METRIC = r"(?i)(?:^|[._])(?:metrics?|accuracy|acc|psnr|m?iou|auc|bleu|wer|cer|f1)(?:_score|_fn|_func|_function)?$"
# `self.metric_ftns`, `metrics.items()`, `zip(names, metric_fns)`: what has several of them, or is gone through for them.
_METRICS = r"(?i)(?:^|[\W_])metrics?(?:_?(?:fn|ftn|func|function)s?)?(?:\.(?:items|values)\(\))?\)*$"

# What a model that is not known gives back under these names may as well be a number.
_OF_NUMBERS = frozenset({"accuracy", "evaluate", "metrics", "test", "validate"})
# How the names of methods end that tell of a module, and apply it to nothing: `encoder.output_shape(shape)`.
_OF_DESCRIPTIONS = frozenset({"shape", "shapes", "size", "sizes", "dim", "dims", "channels"})
# How the names of methods begin that work on texts: `model.format_state_key(key)`, `net.rename_weights(state)`.
_ON_TEXTS = r"_*(?:format|parse|rename|describe|print)(?:_|$)"
# What methods are called that make token ids, positions or masks of what they are given: `_shift_right`, `prepare_decoder_input_ids_from_labels` and
# `get_extended_attention_mask` of transformers, `get_special_tokens_mask` of its tokenizers, `get_ids_for_context`. These are integers, and have no graph.
_OF_IDS = (
    r"(?:^|_)shift_(?:tokens_|labels_)?right$"
    r"|(?:^|_)(?:(?:input|position|token|token_type|decoder_input)_ids|(?:attention|causal|padding|special_tokens)_mask)(?:_(?:from|for)_\w+)?$"
    r"|^_*get_(?:\w+_)?ids(?:_(?:from|for)_\w+)?$|^(?:convert_(?:tokens|ids)_to_\w+|(?:batch_)?encode_plus|batch_decode|build_inputs_with_special_tokens|num_special_tokens_to_add)$"
)
# How the names of methods begin that may switch gradients off by themselves: `generate` of transformers does (GenerationMixin.generate is decorated with
# torch.no_grad), as do `transcribe` of whisper and `predict` of many models. Those that evaluate by their names may also set the mode.
_FOR_EVALUATIONS = r"(?i)eval|valid|test|infer|predict|score|accuracy|sample|generate"
_VALIDATION = r"(?i)_*(?:run_|do_|perform_)?(?:eval|evaluate|evaluation|valid|validate|validation|test)(?:_|$)"
_OF_EVALUATION = ("eval_", "evaluate", "validate", "validation_")
_OF_SAMPLING = ("generate", "sample", "predict", "infer", "transcribe", "translate", *_OF_EVALUATION)
# What the parts of a model are called that have no parameters: `model.roi_heads.box_roi_pool`, `net.avgpool`, `self.dropout`.
_OF_PLAIN_LAYERS = r"(?:^|_)(?:roi_?(?:pool|align)|(?:(?:global|adaptive)_)?(?:avg|max)_?pool(?:ing)?|drop_?out|relu|gelu|silu|sigmoid|softmax|flatten|anchor_generator|criterion)\d*$"
# What its methods are called that change data by numbers that are no parameters, or move it: `model.normalise(images)`, `self.denormalize_target(out)`,
# `model.to_device(x, y)`.
_OF_DATA = (
    r"^_?(?:(?:de|un|re)_?)?(?:normali[sz]e|standardi[sz]e)(?:_\w+)?$|^_?(?:pre|post)_?process(?:_\w+)?$"
    r"|^_?(?:(?:\w+_)?to_(?:device|gpu|cuda|cpu)|(?:move|put|copy|send|transfer)_\w*(?:device|gpu|cuda|cpu))$"
)
# What a model's own function is called that is no model: an activation, a loss, a distance, a change of data.
_OF_FUNCTIONS = (
    r"(?i)(?:^|_)(?:act|activation|activate|non_?lin\w*|fn|func|function|f|op|criterion|loss\w*|metric|dist\w*|sim\w*|kernel|scor\w+|init\w*"
    r"|transform\w*|preprocess\w*|process\w*|normali[sz]e\w*|augment\w*|tokeni[sz]er?|sampl\w+|noise|scheduler?|log\w*|interp\w*|resize|upsample|pool\w*"
    r"|relu|gelu|silu|swish|sigmoid|tanh|softmax|flatten|rearrange|einsum|mask\w*|render\w*|project|warp\w*|pad)(?:_?(?:fn|func|function|op|layer))?\d*$"
)
# Words in the names of context managers and decorators that may switch gradients off.
_OF_SWITCHES = ("grad", "eval", "infer", "frozen", "freeze", "predict", "test", "sampl", "valid")

# Functions that write what they download to the file or the folder they are given, or say where they wrote it.
_OF_DOWNLOADS = r"(?i)download|urlretrieve|^wget$|^fetch|(?:file|path|model|weights|checkpoint)s?_from_url$|^cached_path$"

# What an argument is called that tells a model of a library to go backward in its forward: `memory_replay_backprop=True`, `backward=True`.
_OF_BACKWARDS = r"(?i)^(?!(?:no|not|without|skip|disable|stop)_).*(?:backward|backprop)"

# What the method is called that Lightning asks for a module's optimizers, which are torch's own or derive from these; many models have taken the name over.
_CONFIGURES = r"_*configure_optimizers?$"

# What a method is called that sets something up, by its first word, or makes what no forward gives.
_OF_SET_UPS = frozenset({"init", "reset", "make", "create", "build", "load", "save", "set"})
_TRAINED_WITH = frozenset({"optimizer", "optimizers", "optimiser", "optimisers", "optim", "optims"})
_MADE_FOR_TRAINING = _TRAINED_WITH | {"scheduler", "schedulers"}

# What a container of optimizers is called: many more names have `opt` in them (`options`) than those of one optimizer.
_OF_OPTIMIZERS = r"(?i)optim|(^|_)opts?(_|\d|$)"


def sets_rates(function: str) -> bool:
    """Whether a function sets, reads or shows learning rates, and no more."""
    return re.search(_OF_RATES, function) is not None


def records(function: str) -> bool:
    """Whether a function writes down what it is given, or reads a batch."""
    return re.match(_OF_RECORDS, function) is not None


def logs(path: str) -> bool:
    """Whether what is called, by its dotted name, is a method by which a logger writes down what it is given."""
    return re.search(_OF_LOGGERS, path) is not None


def saves(function: str) -> bool:
    """Whether a function writes a state to a file."""
    return re.match(_OF_SAVING, function) is not None


def acts(path: str) -> bool:
    """Whether what is called takes an action in an environment, which learns nothing from it."""
    return re.match(_OF_ENVIRONMENTS, path) is not None


def keeps_checkpoints(function: str) -> bool:
    """Whether what is called makes an object that saves and restores the states of what it is given, and does nothing else with it."""
    return re.match(_OF_CHECKPOINTERS, function) is not None


def asks(function: str) -> bool:
    """Whether a function tells something about what it is given, and leaves it as it is."""
    return re.match(_OF_QUESTIONS, function) is not None


def loads(function: str) -> bool:
    """Whether a function restores a state: no gradient is computed and no step is made."""
    return re.match(_OF_LOADING, function) is not None


def computes_loss(function: str) -> bool:
    """Whether a function computes a loss, and does not send it backward."""
    return re.match(_OF_LOSSES, function) is not None


def gives_attributes(function: str) -> bool:
    """Whether a function gives what lies in objects under a name that it is given, and leaves them as they are."""
    return re.match(_OF_ATTRIBUTES, function) is not None


def differentiates(function: str) -> bool:
    """Whether a function differentiates the models that it is given."""
    return re.search(_OF_GRADIENTS, function) is not None


def averages(function: str) -> bool:
    """Whether a function moves the weights of one model towards those of another: no gradient is computed, no step made, no mode set."""
    return re.match(_OF_AVERAGES, function) is not None


def trains(method: str) -> bool:
    """Whether a method may train with what it is given."""
    return re.search(_OF_TRAINING, method) is not None


def fits(method: str) -> bool:
    """Whether a method trains by its name, and makes no single step."""
    return re.search(_OF_FITTING, method) is not None


def changes_gradients(function: str) -> bool:
    """Whether a function may compute, use or clear gradients of what it is given."""
    return re.search(_CHANGING_GRADIENTS, function) is not None


def is_called_back(function: str) -> bool:
    """Whether a function is a callback by its name, for its caller's caller to look at the training: `self.after_epoch_callback(self, loss)`."""
    return "callback" in function.lower()


def takes_notes(method: str) -> bool:
    """Whether a method keeps, counts or shows what it is given."""
    return re.match(_OF_NOTES, method) is not None


def takes_an_entry(method: str) -> bool:
    """Whether a method is one by which containers take an entry, which others take out of them."""
    return method in _ENTERING


def measures(function: str) -> bool:
    """Whether a function computes a metric of what it is given."""
    return re.search(_COMPUTER, function) is not None or re.search(_METRIC, function) is not None


def are_metrics(container: str) -> bool:
    """Whether a container holds functions that compute metrics."""
    return re.search(_METRICS, container) is not None


def adds_to_a_metric(owner: str, method: str) -> bool:
    """Whether a method adds what it is given to a metric: `self.metrics.update(outputs)`."""
    return method.lower() in _KEEPING and re.search(_KEEPER, owner) is not None


def gives_a_number(method: str) -> bool:
    """Whether a method of a model may give a number in the place of a tensor."""
    return method in _OF_NUMBERS


def describes(method: str) -> bool:
    """Whether a method tells of a module, makes ids and masks, or works on texts, and applies the module to nothing."""
    if method.rpartition("_")[2] in _OF_DESCRIPTIONS or re.match(_ON_TEXTS, method) is not None:
        return True
    return re.search(_OF_IDS, method) is not None


def has_no_parameters(part: str) -> bool:
    """Whether a part of a model, or a method of it, computes something, and learns nothing."""
    return re.search(_OF_PLAIN_LAYERS, part) is not None or re.search(_OF_DATA, part) is not None


def has_no_modes(part: str) -> bool:
    """Whether what a model applies computes the same in train and in eval mode."""
    return has_no_parameters(part) or re.search(_OF_FUNCTIONS, part) is not None


def is_for_evaluations(function: str) -> bool:
    """Whether a function evaluates or predicts by its name, whatever else it does: `_validate_epoch`, `run_test`."""
    return re.search(_FOR_EVALUATIONS, function) is not None


def gives_a_loss_of_validation(method: str) -> bool:
    """Whether a method that gives a loss is for validation by its name: `val_loss`, `compute_eval_loss`."""
    return is_for_evaluations(method) or "val" in method.split("_")


def is_a_validation(function: str) -> bool:
    """Whether a function does nothing but evaluate by its name, whatever calls it: `eval_epoch`, `_validate`; what scores or samples may serve a loss."""
    return re.match(_VALIDATION, function) is not None


def evaluates(method: str) -> bool:
    """Whether a method of a model may set its mode by itself."""
    return method.startswith(_OF_EVALUATION)


def samples(method: str) -> bool:
    """Whether a method of a model may switch gradients off by itself."""
    return method.startswith(_OF_SAMPLING)


def may_switch_gradients(switch: str) -> bool:
    """Whether a context manager, a decorator or a wrapper of functions may switch gradients off."""
    return any(word in switch.lower() for word in _OF_SWITCHES)


def tells_to_go_backward(argument: str) -> bool:
    """Whether an argument tells what it is given to that it is to go backward itself."""
    return re.search(_OF_BACKWARDS, argument) is not None


def downloads(function: str) -> bool:
    """Whether a function writes what it downloads to a file, or says where it wrote it."""
    return re.search(_OF_DOWNLOADS, function) is not None


def configures_optimizers(method: str) -> bool:
    """Whether a method makes the optimizers of its module."""
    return re.match(_CONFIGURES, method) is not None


def makes_optimizers(method: str) -> bool:
    """Whether a method of a model makes optimizers, of the model's own parameters: `model.get_optimizer(lr)`."""
    return not _TRAINED_WITH.isdisjoint(method.lower().split("_"))


def sets_up(method: str) -> bool:
    """Whether a method of a model sets something up, or makes what trains it, and applies nothing."""
    words = method.lower().split("_")
    return words[0] in _OF_SET_UPS or not _MADE_FOR_TRAINING.isdisjoint(words)


def are_optimizers(container: str) -> bool:
    """Whether a container holds optimizers."""
    return re.search(_OF_OPTIMIZERS, container) is not None


def is_the_loss(name: str) -> bool:
    """Whether what a model puts out is asked for the loss that it computed itself, by its name: `outputs.loss`, `outputs["mlm_loss"]`."""
    return name == "loss" or name.endswith("_loss")
