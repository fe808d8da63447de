"""`torch.distributions`."""
