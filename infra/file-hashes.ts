import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { ownText } from '../shared/base/json.ts'

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Age in milliseconds from which a change of a file shows in its times: above the tick of any file system's clock. */
const SETTLED_MS = 50

/** The size, inode and times of a file, and the SHA-256 of its contents. */
type Known = readonly [facts: string, hash: string]

/**
 * Hashes of files, kept from one process to the next. A file is read again when its size, its inode or one of its times
 * changed. No program can set the time of the last change.
 */
export class FileHashes {
  readonly #file: string
  readonly #known: Map<string, Known>
  readonly #asked = new Map<string, string>()
  #isNew = false

  /** @param file where they are kept; an unreadable one counts as empty */
  constructor(file: string) {
    this.#file = file
    this.#known = read(file)
  }

  /** The hash of a file now; an absent one has the hash of no bytes. */
  of(file: string): string {
    const facts = statSync(file, { bigint: true, throwIfNoEntry: false })
    if (facts === undefined) return sha256('')
    const stamp = [facts.size, facts.ino, facts.mtimeNs, facts.ctimeNs].join()
    const known = this.#known.get(file)
    if (known?.[0] === stamp) return known[1]
    const hash = sha256(readFileSync(file))
    if (Number(facts.ctimeMs) < Date.now() - SETTLED_MS) {
      this.#known.set(file, [stamp, hash])
      this.#isNew = true
    }
    return hash
  }

  /** As `of`, and the same answer until `keep`: all that is built together is built from the same sources. */
  once(file: string): string {
    const hash = this.#asked.get(file) ?? this.of(file)
    this.#asked.set(file, hash)
    return hash
  }

  /** Writes the new hashes, without those of files that are gone. */
  keep(): void {
    this.#asked.clear()
    if (!this.#isNew) return
    mkdirSync(path.dirname(this.#file), { recursive: true })
    const whole = `${this.#file}.${process.pid}`
    const rows = [...this.#known].filter(([file]) => existsSync(file))
    writeFileSync(whole, ownText<Record<string, Known>>().write(Object.fromEntries(rows)))
    renameSync(whole, this.#file)
    this.#isNew = false
  }
}

function read(file: string): Map<string, Known> {
  try {
    return new Map(Object.entries(ownText<Record<string, Known>>().read(readFileSync(file, 'utf8'))))
  } catch {
    return new Map()
  }
}
