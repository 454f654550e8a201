"""Runs training scripts that were not written for looplint, as they are and with bugs planted, and checks what `looplint run` says of them."""
