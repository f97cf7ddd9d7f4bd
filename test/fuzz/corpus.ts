import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'

/** Kept inputs: those that reach further than the seeds, and those that were faults. */
export type Kept = 'corpus' | 'crashes'

const folderOf = (kept: Kept, parser: string): string => path.join(import.meta.dirname, kept, parser)

/** The kept inputs of a parser, by file name. */
export function keptOf(kept: Kept, parser: string): readonly (readonly [name: string, bytes: Buffer])[] {
  const folder = folderOf(kept, parser)
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .sort()
    .map((name) => [name, fs.readFileSync(path.join(folder, name))])
}

/** Writes an input, named after its content. @returns its path */
export function keep(kept: Kept, parser: string, bytes: Buffer): string {
  const folder = folderOf(kept, parser)
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, createHash('sha256').update(bytes).digest('hex').slice(0, 16))
  fs.writeFileSync(file, bytes)
  return file
}
