import torch
from accelerate import Accelerator
from torch.optim import AdamW
from torch.utils.data import DataLoader
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_scheduler
import evaluate
from datasets import load_dataset

def main(args):
    accelerator = Accelerator(gradient_accumulation_steps=args.ga, log_with="wandb")
    tok = AutoTokenizer.from_pretrained("bert"); raw = load_dataset("glue", "mrpc")
    model = AutoModelForSequenceClassification.from_pretrained("bert", num_labels=2)
    train_dl = DataLoader(raw["train"], shuffle=True, batch_size=8); eval_dl = DataLoader(raw["validation"], batch_size=8)
    no_decay = ["bias", "LayerNorm.weight"]
    groups = [{"params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)], "weight_decay": 0.01},
              {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0}]
    optimizer = AdamW(groups, lr=5e-5)
    lr_scheduler = get_scheduler("linear", optimizer=optimizer, num_warmup_steps=0, num_training_steps=args.epochs * len(train_dl))
    model, optimizer, train_dl, eval_dl, lr_scheduler = accelerator.prepare(model, optimizer, train_dl, eval_dl, lr_scheduler)
    metric = evaluate.load("glue", "mrpc")
    progress = tqdm(range(args.epochs * len(train_dl)), disable=not accelerator.is_local_main_process)
    completed = 0
    for epoch in range(args.epochs):
        model.train()
        total_loss = 0
        for step, batch in enumerate(train_dl):
            with accelerator.accumulate(model):
                outputs = model(**batch)
                loss = outputs.loss
                total_loss += loss.detach().float()
                accelerator.backward(loss)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                progress.update(1); completed += 1
        model.eval()
        for batch in eval_dl:
            with torch.no_grad():
                outputs = model(**batch)
            preds = outputs.logits.argmax(dim=-1)
            preds, refs = accelerator.gather_for_metrics((preds, batch["labels"]))
            metric.add_batch(predictions=preds, references=refs)
        accelerator.print(metric.compute())
        accelerator.save_state(f"epoch_{epoch}")
