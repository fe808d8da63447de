(async () => {
  // The page is packed, because a notebook keeps it as text; its own policy holds for it, beside this one's.
  const bytes = Uint8Array.from(atob(document.querySelector('template').content.textContent), (letter) => letter.charCodeAt(0));
  const page = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text();
  document.open();
  document.write(page);
  document.close();
})();
