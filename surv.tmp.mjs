import { readFileSync } from 'node:fs';
const all = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const re = new RegExp(process.argv[3] ?? '.');
for (const f of all.filter((f) => f.by === null && re.test(f.file))) {
  const lines = readFileSync(f.file, 'utf8').split('\n');
  console.log(`## ${f.id} ${f.file}:${f.line} ${f.kind} ran ${f.ran} left ${f.left}`);
  console.log(lines.slice(Math.max(0, f.line - 6), f.line + 5).join('\n'));
  console.log('---', f.original.replace(/\s+/g, ' ').slice(0, 400));
  console.log('+++', f.replacement.replace(/\s+/g, ' ').slice(0, 400));
}
