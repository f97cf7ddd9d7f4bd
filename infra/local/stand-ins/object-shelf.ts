import * as fs from 'node:fs'
import * as path from 'node:path'

export interface StoredObject {
  readonly contentType: string
  readonly bytes: Buffer
}

/** Storage of objects, by bucket and key. */
export interface ObjectShelf {
  readonly put: (name: string, object: StoredObject) => void
  readonly get: (name: string) => StoredObject | undefined
  readonly remove: (name: string) => void
}

const OWNER_ONLY = { directory: 0o700, file: 0o600 } as const

/**
 * @param directory contains a file per object, with its content type in the first line; `undefined` means in memory
 * only
 */
export function createObjectShelf(directory: string | undefined): ObjectShelf {
  if (directory === undefined) {
    const objects = new Map<string, StoredObject>()
    return {
      put: (name, object) => objects.set(name, object),
      get: (name) => objects.get(name),
      remove: (name) => objects.delete(name),
    }
  }
  fs.mkdirSync(directory, { recursive: true, mode: OWNER_ONLY.directory })
  const fileOf = (name: string): string => path.join(directory, encodeURIComponent(name))
  return {
    put: (name, { contentType, bytes }) => {
      const fresh = `${fileOf(name)}.new`
      fs.writeFileSync(fresh, Buffer.concat([Buffer.from(`${contentType}\n`), bytes]), { mode: OWNER_ONLY.file })
      fs.renameSync(fresh, fileOf(name))
    },
    get: (name) => {
      if (!fs.existsSync(fileOf(name))) return undefined
      const content = fs.readFileSync(fileOf(name))
      const end = content.indexOf('\n')
      return { contentType: content.toString('utf8', 0, end), bytes: content.subarray(end + 1) }
    },
    remove: (name) => fs.rmSync(fileOf(name), { force: true }),
  }
}
