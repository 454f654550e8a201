"""LL503: what stands in a list that torch joins is a tensor where it is moved, and so is what goes to torchaudio's functions."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL503"
JOINED = """
        import torchaudio
        import torchaudio.functional as aF
        from elsewhere import join, poses

        def fit(slam, model: nn.Module, optimizer, loader, device):
            for first, target in loader:
                pose = slam.pose_of(first)
                pose.to(device){mark}
                optimizer.zero_grad()
                loss = model({given}).sum()
                loss.backward()
                optimizer.step()
"""
HEARD = """
        import torchaudio
        import torchaudio.functional as aF
        from elsewhere import device, model, paths, resample, write

        def infer():
            model.eval()
            with torch.no_grad():
                for path in paths:
                    audio, rate = {loaded}
                    audio.to(device){mark}
                    write(model({given}))
"""


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        pytest.param("torch.cat([first.cuda(), pose], dim=0)", FOUND, id="a list"),
        pytest.param("torch.stack((pose, pose), 1)", FOUND, id="a tuple"),
        pytest.param("torch.hstack([pose, first.cuda()])", FOUND, id="side by side"),
        pytest.param("torch.concat([pose, first.cuda()])", FOUND, id="by another name"),
        pytest.param("join([first, pose])", "", id="a function of the program's own"),
        pytest.param("torch.cat([first.cuda(), pose.values])", "", id="a field of it"),
        pytest.param("torch.cat([first.cuda(), pose()])", "", id="what it gives"),
        pytest.param("pose", "", id="given to a model out of sight"),
    ],
)
def test_joined(given: str, mark: str) -> None:
    assert_marked(JOINED.format(given=given, mark=mark))


@pytest.mark.parametrize(
    ("loaded", "given", "mark"),
    [
        pytest.param("torchaudio.load(path)", "aF.resample(audio, orig_freq=rate, new_freq=16000)", FOUND, id="resampled"),
        pytest.param("resample(path)", "torchaudio.functional.resample(audio, rate, 16000)", FOUND, id="from a function out of sight"),
        pytest.param(
            "resample(path)", "aF.highpass_biquad(waveform=audio, sample_rate=rate, cutoff_freq=80.0)", FOUND, id="by its keyword"
        ),
        pytest.param("resample(path)", "torchaudio.compliance.kaldi.fbank(audio)", FOUND, id="as Kaldi computes"),
        pytest.param("resample(path)", "resample(audio, rate)", "", id="a function of the program's own"),
        pytest.param("resample(path)", "aF.resample(audio.samples, rate, 16000)", "", id="a field of it"),
    ],
)
def test_heard(loaded: str, given: str, mark: str) -> None:
    assert_marked(HEARD.format(loaded=loaded, given=given, mark=mark))
