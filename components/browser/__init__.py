"""What every part of the page that runs in the browser is made with."""
