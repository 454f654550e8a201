"""A name stands for a tensor, or for something that moves itself: what the program does with it shows which."""

from __future__ import annotations

import pytest

from programs import assert_marked

TENSORS = {
    "a loss of the program computes with it": """
        class DiceLoss(nn.Module):
            def forward(self, inputs, targets):
                inputs, targets = inputs.softmax(1).flatten(), targets.flatten()
                return 1 - (2 * (inputs * targets).sum() + 1) / (inputs.sum() + targets.sum() + 1)
        criterion = DiceLoss()
        def fit(model: nn.Module, optimizer, loader, device):
            for image, target in loader:
                target.to(device)  # expect: LL503
                optimizer.zero_grad()
                criterion(model(image), target).backward()
                optimizer.step()
        """,
    "a function of the program hands it to one of torch": """
        def ce_loss(outputs, target, weights):
            return nn.functional.cross_entropy(outputs.flatten(1), target, weight=weights)
        def fit(model: nn.Module, optimizer, loader, weights):
            for step, (image, target) in enumerate(loader):
                target.cuda()  # expect: LL503
                optimizer.zero_grad()
                ce_loss(model(image), target, weights).backward()
                optimizer.step()
        """,
    "a method of the model is annotated": """
        class Diffusion(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Conv2d(3, 3, 3)
            def get_loss(self, clean: torch.Tensor):
                return self.net(clean).pow(2).mean()
        def fit(loader, device):
            model = Diffusion()
            optimizer = torch.optim.Adam(model.parameters())
            for image in loader:
                image.to(device)  # expect: LL503
                optimizer.zero_grad()
                model.get_loss(image).backward()
                optimizer.step()
        """,
    "another part of the batch is converted and moved, of an iterator of the program": """
        def fit(model: nn.Module, optimizer, prefetcher):
            for step in range(1000):
                images, labels, _ = prefetcher.next()
                images.cuda(non_blocking=True)  # expect: LL503
                labels = labels.long().cuda(non_blocking=True)
                optimizer.zero_grad()
                model(images, labels).backward()
                optimizer.step()
        """,
    "another part of the batch is moved as a tensor": """
        def fit(model: nn.Module, optimizer, loader, device):
            for batch in loader:
                images, masks, labels = batch
                images.to(device)  # expect: LL503
                masks = masks.to(device)
                optimizer.zero_grad()
                model(images, masks, labels).backward()
                optimizer.step()
        """,
    "a method of the model hands it to the model": """
        class Flow(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)
            def forward(self, points):
                return self.net(points * 2)
            def log_prob(self, points, scale=1.0):
                return self(points).sum(1) * scale
            def nll(self, points):
                found = self.log_prob(points, scale=2.0)
                return -found
        def score(model, held_out, device):
            model.eval()
            total = 0.0
            with torch.no_grad():
                for points in held_out:
                    points.to(device)  # expect: LL503
                    total += model.nll(points).mean().item()
            return total
        score(Flow(), loader, device)
        """,
    "the model takes it by a keyword": """
        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)
            def forward(self, images, labels=None):
                return {"logits": self.net(images.view(-1, 3)), "labels": labels}
        def predict(loader):
            model = Classifier().cuda().eval()
            found = []
            with torch.no_grad():
                for images in loader:
                    images.cuda()  # expect: LL503
                    found.append(model(labels=None, images=images)["logits"])
            return found
        """,
    "the model cuts windows out of it": """
        class Embedder(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)
            def forward(self, mel):
                return self.net(mel.unfold(1, 3, 2))
        def embed(loader):
            embedder = Embedder().cuda().eval()
            with torch.no_grad():
                for mels, names in loader:
                    for mel in mels:
                        mel.cuda()  # expect: LL503
                        print(names, embedder(mel))
        """,
    "torch's own way puts the batches of a dataset together": """
        from torch.utils.data import DataLoader, Dataset
        class Images(Dataset):
            def __init__(self, paths, transform):
                self.paths, self.transform = paths, transform
            def __len__(self):
                return len(self.paths)
            def __getitem__(self, index):
                return self.transform(self.paths[index])
        @torch.no_grad()
        def embed(model: nn.Module, paths, transform, device):
            model.eval()
            for batch in DataLoader(Images(paths, transform), batch_size=32):
                batch.to(device)  # expect: LL503
                torch.save(model(batch), "features.pt")
        """,
    "it is an entry of a batch, by its key": """
        @torch.no_grad()
        def evaluate(model: nn.Module, loader, device):
            model.eval()
            for batch in loader:
                mask = batch.get("attention_mask")
                if mask is not None:
                    mask.to(device)  # expect: LL503
                labels = batch["labels"]
                labels.to(device)  # expect: LL503
                print(model(batch["input_ids"].to(device), mask, labels))
        """,
    "it is cut along several axes": """
        def condition(processor, video, frames, device, dtype):
            clip = processor.preprocess(video)
            clip = clip[:, :, :frames]
            clip.to(device, dtype=dtype)  # expect: LL503
            return clip
        """,
    "it is changed in place, as tensors are": """
        def fit(model: nn.Module, optimizer, queue, table, device):
            while True:
                rows, gradients = queue.get()
                optimizer.step()
                spread = table.sums[rows]
                if device is not None:
                    spread.cuda(device)  # expect: LL503
                table.rows.index_put_((rows,), gradients / spread.sqrt_())
        """,
    "a method of tensors takes it at a place where only tensors stand": """
        def fit(model: nn.Module, optimizer, queue, table, device):
            while True:
                rows, values = queue.get()
                optimizer.step()
                if rows.device != device:
                    rows.to(device)  # expect: LL503
                table.sums.index_add_(0, rows, values)
        """,
    "a mask of a tensor": """
        def fit(model: nn.Module, optimizer, loader, device):
            for x, fields in loader:
                padding = fields.pop()
                padding.to(device)  # expect: LL503
                optimizer.zero_grad()
                scores = model(x)
                scores.masked_fill(mask=padding, value=0.0).mean().backward()
                optimizer.step()
        """,
    "what is copied into a tensor": """
        def fit(model: nn.Module, optimizer, queue, shared, device):
            for step in range(1000):
                found = queue.get()
                found.to(device)  # expect: LL503
                shared.rows.copy_(found)
                optimizer.zero_grad()
                model(shared.rows).mean().backward()
                optimizer.step()
        """,
    "the numbers that a tokenizer gives for a text": """
        def answer(model, tokenizer, texts, device):
            for text in texts:
                ids = tokenizer.encode(text, return_tensors="pt")
                ids.to(device)  # expect: LL503
                print(model.generate(input_ids=ids))
        """,
    "edges that a library of graphs works out": """
        from torch_geometric.utils import subgraph
        def fit(model: nn.Module, optimizer, batches, edge_index, x, device):
            for nodes in batches:
                edges, _ = subgraph(nodes, edge_index, relabel_nodes=True)
                edges.to(device)  # expect: LL503
                optimizer.zero_grad()
                model(x[nodes].to(device), edges).mean().backward()
                optimizer.step()
        """,
    "one of several tensors of a graph": """
        import torch_geometric.utils as graphs
        def fit(model: nn.Module, optimizer, batches, edge_index, x, device):
            for nodes in batches:
                edges = graphs.add_self_loops(edge_index)[0]
                edges.cuda()  # expect: LL503
                optimizer.zero_grad()
                model(x[nodes].to(device), edges).mean().backward()
                optimizer.step()
        """,
    "what a library of graphs takes": """
        from torch_geometric.utils import to_undirected
        def fit(model: nn.Module, optimizer, batches, device):
            for x, edges in batches:
                edges.to(device)  # expect: LL503
                both = to_undirected(edges)
                optimizer.zero_grad()
                model(x, both).mean().backward()
                optimizer.step()
        """,
    "what CLIP makes of texts": """
        from clip import clip
        def embed(categories, templates):
            model, _ = clip.load("ViT-B/16")
            found = []
            for category in categories:
                texts = [template.format(category) for template in templates]
                texts = clip.tokenize(texts)
                if torch.cuda.is_available():
                    texts.cuda()  # expect: LL503
                    model = model.cuda()
                found.append(model.encode_text(texts).mean(dim=0))
            return torch.stack(found)
        """,
    "the same, by the package": """
        import clip
        class Prompts:
            def __init__(self, names, device):
                self.tokens = clip.tokenize(names, truncate=True)
                self.tokens.to(device)  # expect: LL503
        """,
    "what a tokenizer of open_clip gives": """
        import open_clip
        def embed(loader, device):
            model, _, preprocess = open_clip.create_model_and_transforms("ViT-B-32", pretrained="openai")
            tokenizer = open_clip.get_tokenizer("ViT-B-32")
            for images, captions in loader:
                text = tokenizer(captions)
                text.to(device)  # expect: LL503
                print(model.encode_text(text).shape)
        """,
}

OTHERS = {
    "what another tokenizer makes of texts": """
        from tokens import clip, get_tokenizer
        def embed(loader, device):
            tokenizer = get_tokenizer("ViT-B-32")
            for texts in loader:
                encoded, numbers = tokenizer(texts), clip.tokenize(texts)
                encoded.to(device)
                numbers.to(device)
                print(encoded, numbers)
        """,
    "what a tokenizer gives for each item of a dataset": """
        from torch.utils.data import DataLoader, Dataset
        from transformers import AutoTokenizer
        class Texts(Dataset):
            def __init__(self, texts):
                self.texts, self.tokenizer = texts, AutoTokenizer.from_pretrained("bert-base-cased")
            def __len__(self):
                return len(self.texts)
            def __getitem__(self, index):
                return self.tokenizer(self.texts[index], return_tensors="pt")
        @torch.no_grad()
        def embed(model: nn.Module, texts, device):
            model.eval()
            for batch in DataLoader(Texts(texts)):
                batch.to(device)
                print(model(batch))
        """,
    "a graph among the entries of a batch": """
        @torch.no_grad()
        def evaluate(model: nn.Module, loader, device):
            model.eval()
            for batch in loader:
                graph = batch.get("graph")
                graph.to(device)
                print(model(graph))
        """,
    "the model takes its parts by a keyword": """
        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)
            def forward(self, graph, labels=None):
                return self.net(graph.x), labels
        def predict(loader):
            model = Classifier().cuda().eval()
            with torch.no_grad():
                for graph in loader:
                    graph.to("cuda")
                    print(model(labels=None, graph=graph))
        """,
    "what a model that is not known gives is a list of words as well as a tensor, where a list takes its items": """
        class Evaluator:
            def __init__(self, model):
                self.model = model
            def run(self, held_out, size):
                self.model.eval()
                found = []
                for examples in held_out.batch_iter(batch_size=size):
                    found.extend(self.model.generate_words(examples)["words"])
                return found
        """,
    "a meter of the program adds up in its own way": """
        class Mean:
            def __init__(self):
                self.values = []
            def __iadd__(self, value):
                self.values.append(value.detach().cpu())
                return self
        class Tracker:
            def __init__(self):
                self.means = {}
            def update(self, values):
                for name, value in values.items():
                    if name not in self.means:
                        self.means[name] = Mean()
                    self.means[name] += value
        def fit(model: nn.Module, optimizer, loader):
            tracker, total = Tracker(), 0.0
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
                tracker.update({"loss": loss})
                total += loss  # expect: LL402
        """,
    "the encodings of a tokenizer, beside labels": """
        def fit(model: nn.Module, optimizer, loader, device):
            for inputs, labels in loader:
                inputs.to(device)
                labels = labels.to(device)
                optimizer.zero_grad()
                model(**inputs, labels=labels).loss.backward()
                optimizer.step()
        """,
    "what is unpacked into arguments, whatever its name": """
        def fit(model: nn.Module, optimizer, loader, device):
            for x, y in loader:
                x.to(device)
                y = y.to(device)
                optimizer.zero_grad()
                nn.functional.mse_loss(model(**x), y).backward()
                optimizer.step()
        """,
    "graphs, beside targets": """
        def fit(model: nn.Module, optimizer, loader, device):
            for graph, y in loader:
                graph.to(device)
                y = y.to(device)
                optimizer.zero_grad()
                nn.functional.mse_loss(model(graph), y).backward()
                optimizer.step()
        """,
    "what the loss of the program takes apart": """
        class Criterion(nn.Module):
            def forward(self, outputs, targets):
                return nn.functional.l1_loss(outputs, targets["boxes"]) + nn.functional.cross_entropy(outputs, targets["labels"])
        criterion = Criterion()
        def fit(model: nn.Module, optimizer, loader, device):
            for image, target in loader:
                target.to(device)
                optimizer.zero_grad()
                criterion(model(image), target).backward()
                optimizer.step()
        """,
    "a part of which nothing is known": """
        def fit(model: nn.Module, optimizer, loader, device):
            for image, target in loader:
                target.to(device)
                optimizer.zero_grad()
                model(image, target).backward()
                optimizer.step()
        """,
    "what a method of the program takes, that is called as one of tensors is": """
        class Shadow:
            def __init__(self):
                self.parts = {}
            def copy_(self, source):
                for name, part in source.parts():
                    self.parts[name] = part.detach().clone()
        def fit(model: nn.Module, optimizer, loader, wrapper, device):
            shadow = Shadow()
            wrapper.to(device)
            for x in loader:
                optimizer.zero_grad()
                model(x).mean().backward()
                optimizer.step()
                shadow.copy_(wrapper)
        """,
    "what a function takes that is called as a method of tensors is": """
        from graphs import index_select
        def fit(model: nn.Module, optimizer, loader, device):
            for graph, rows in loader:
                graph.to(device)
                optimizer.zero_grad()
                model(index_select(rows, graph)).mean().backward()
                optimizer.step()
        """,
    "a graph that a library of graphs makes of another one": """
        from torch_geometric.utils import from_networkx
        def fit(model: nn.Module, optimizer, batches, whole, device):
            for nodes in batches:
                found = from_networkx(whole.subgraph(nodes))
                found.to(device)
                optimizer.zero_grad()
                model(found).mean().backward()
                optimizer.step()
        """,
    "a graph at times, and its edges at others": """
        from torch_geometric.utils import subgraph
        def fit(model: nn.Module, optimizer, batches, edge_index, graphs, device):
            for nodes in batches:
                found, _ = subgraph(nodes, edge_index)
                if graphs:
                    found, _ = graphs.pop()
                found.to(device)
                optimizer.zero_grad()
                model(found).mean().backward()
                optimizer.step()
        """,
    "the entries that a tokenizer gives for a text": """
        def answer(model, tokenizer, texts, device):
            for text in texts:
                entries = tokenizer(text, return_tensors="pt")
                entries.to(device)
                print(model.generate(**entries))
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in {**TENSORS, **OTHERS}.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
