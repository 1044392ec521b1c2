/** The text of a reply of another server. @throws Error for more than so many bytes */
export async function boundedText(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > most) throw new Error('The answer is too long');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
