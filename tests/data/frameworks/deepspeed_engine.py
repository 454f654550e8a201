import deepspeed
from torch import nn


def main(args, data):
    net = nn.Linear(4, 2)
    engine, optimizer, loader, scheduler = deepspeed.initialize(args=args, model=net, model_parameters=net.parameters(), training_data=data)
    total = 0.0
    for batch in loader:
        loss = engine(batch).mean()
        engine.backward(loss)
        engine.step()
        total += loss.item()
    print(total / len(loader))
