import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import * as path from 'node:path'
import { ownText } from '../shared/base/json.ts'
import { FileHashes, sha256 } from './file-hashes.ts'

/** Output files of a bundle by name, and further facts about it. */
export interface Made<Facts> {
  readonly files: ReadonlyMap<string, Uint8Array>
  /** source files relative to the checkout; those of installed packages can be omitted */
  readonly inputs: readonly string[]
  readonly facts: Facts
}

interface Manifest<Facts> {
  readonly conditions: string
  /** SHA-256 by path */
  readonly inputs: Readonly<Record<string, string>>
  /** SHA-256 by name */
  readonly files: Readonly<Record<string, string>>
  readonly facts: Facts
}

/** Every bundle depends on these besides its own sources: the build itself and the installed packages. */
const CONDITIONS = [
  'infra/build.ts',
  'infra/bundle-cache.ts',
  'infra/file-hashes.ts',
  'infra/merge-start.ts',
  'package.json',
  'shared/rego/package.json',
  'clients/console/package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'tsconfig.json',
]

/**
 * Bundles with the hashes of all their inputs: a bundle is built again when one of its inputs changed or was deleted,
 * or when a file of the cache was altered. An added file changes a bundle only through another file that imports it.
 */
export class BundleCache {
  readonly #root: string
  readonly #folder: string
  readonly #conditions: string
  readonly #hashes: FileHashes

  /** @param root the checkout @param folder of the cache; created at the first write */
  constructor(root: string, folder: string) {
    this.#root = root
    this.#folder = folder
    this.#hashes = new FileHashes(path.join(folder, 'hashes.json'))
    this.#conditions = sha256([process.version, ...CONDITIONS.map((file) => this.#inputHash(file))].join())
  }

  #inputHash(input: string): string {
    return this.#hashes.once(path.resolve(this.#root, input))
  }

  /** Keeps the hashes of the files for the next build. */
  end(): void {
    this.#hashes.keep()
  }

  /**
   * Puts a bundle into its folder, from the cache or newly built.
   * @param options anything else that affects the result
   */
  async bring<Facts>(outdir: string, options: string, make: () => Promise<Made<Facts>>): Promise<Facts> {
    const entry = path.join(this.#folder, `${path.basename(outdir)}-${sha256(options).slice(0, 8)}`)
    const manifest = this.#manifest<Facts>(`${entry}.json`)
    if (manifest && this.#restore(manifest, outdir, entry)) return manifest.facts
    const since = Date.now()
    const made = await make()
    writeChanged(outdir, made.files)
    // If an input changed meanwhile, the bundle may contain either version.
    if (made.inputs.some((input) => statSync(path.resolve(this.#root, input)).mtimeMs >= since)) return made.facts
    writeChanged(entry, made.files)
    this.#write(`${entry}.json`, made)
    return made.facts
  }

  /** `undefined` when it is absent or unreadable, or an input changed. */
  #manifest<Facts>(file: string): Manifest<Facts> | undefined {
    try {
      const manifest = ownText<Manifest<Facts>>().read(readFileSync(file, 'utf8'))
      const isFresh = Object.entries(manifest.inputs).every(([input, hash]) => this.#inputHash(input) === hash)
      return isFresh && manifest.conditions === this.#conditions ? manifest : undefined
    } catch {
      return undefined
    }
  }

  /** Makes the folder of a bundle whole with files of the cache. @returns whether it could */
  #restore({ files }: Manifest<unknown>, outdir: string, entry: string): boolean {
    const isIntact = (folder: string) => (name: string) => this.#hashes.of(path.join(folder, name)) === files[name]
    const names = Object.keys(files)
    const missing = names.filter((name) => !isIntact(outdir)(name))
    if (!missing.every(isIntact(entry))) return false
    mkdirSync(outdir, { recursive: true })
    for (const name of missing) copyFileSync(path.join(entry, name), path.join(outdir, name))
    removeOthers(outdir, new Set(names))
    return true
  }

  #write<Facts>(file: string, { files, inputs, facts }: Made<Facts>): void {
    const manifest: Manifest<Facts> = {
      conditions: this.#conditions,
      inputs: Object.fromEntries(inputs.map((input) => [input, this.#inputHash(input)])),
      files: Object.fromEntries([...files].map(([name, contents]) => [name, sha256(contents)])),
      facts,
    }
    const whole = `${file}.${process.pid}`
    writeFileSync(whole, ownText<Manifest<Facts>>().write(manifest))
    renameSync(whole, file)
  }
}

/** Writes a file unless it has these contents already. */
export function writeChangedFile(file: string, contents: Uint8Array): void {
  if (!existsSync(file) || !readFileSync(file).equals(contents)) writeFileSync(file, contents)
}

/**
 * Does not touch files that are already correct, because a running deployment may be reading them; removes all others.
 */
export function writeChanged(outdir: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(outdir, { recursive: true })
  for (const [name, contents] of files) {
    writeChangedFile(path.join(outdir, name), contents)
  }
  removeOthers(outdir, files)
}

/** Another build may remove the same files at the same time. */
function removeOthers(outdir: string, wanted: Pick<ReadonlySet<string>, 'has'>): void {
  for (const name of readdirSync(outdir))
    if (!wanted.has(name)) rmSync(path.join(outdir, name), { recursive: true, force: true })
}
