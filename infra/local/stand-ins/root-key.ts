import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { codeOf } from '../../simulators/toolkit/error-code.ts'
import { ownText } from '../../simulators/toolkit/own-text.ts'
import { FILES, hasTable, openToOthers, writeNew } from '../data/data-directory.ts'
import { StartRefusal } from '../command/start-refusal.ts'

/** A key of the KMS stand-in: its versions of material, newest last. */
export interface RootKey {
  readonly id: string
  readonly createdAt: Date
  readonly versions: readonly Buffer[]
}

/** The content of the file. */
interface RootKeyFile {
  readonly key_id: string
  readonly created_at: string
  /** base64, oldest first */
  readonly versions: readonly string[]
}

const MATERIAL_BYTES = 32
const CHECK_LABEL = 'keymgr root key check 1'

export const createRootKey = (): RootKey => ({
  id: randomUUID(),
  createdAt: new Date(),
  versions: [randomBytes(MATERIAL_BYTES)],
})

/**
 * The root key of a data directory, created at its first start. A check value beside the table detects a wrong root key
 * before that key encrypts anything in the table.
 * @throws StartRefusal if the key is missing, accessible to others, damaged, or not the key that the directory was
 * created with
 */
export function openRootKey(directory: string): RootKey {
  const file = path.join(directory, FILES.rootKey)
  const checkFile = path.join(directory, FILES.rootKeyCheck)
  const used = fs.existsSync(checkFile) || hasTable(directory)
  if (!fs.existsSync(file)) {
    if (used) throw new StartRefusal(`The data directory ${directory} holds data, but its root key ${file} is missing.`)
    const key = createRootKey()
    writeNew(file, print(key))
    writeNew(checkFile, checkValue(key))
    return key
  }
  if (openToOthers(file)) throw new StartRefusal(`The root key ${file} is open to others; close it with chmod 600.`)
  const key = parse(file)
  verify(key, directory, checkFile)
  return key
}

function verify(key: RootKey, directory: string, checkFile: string): void {
  if (fs.existsSync(checkFile)) {
    if (fs.readFileSync(checkFile, 'utf8') === checkValue(key)) return
    throw new StartRefusal(
      `The data directory ${directory} was made with another root key than ${FILES.rootKey} holds.`,
    )
  }
  if (hasTable(directory)) {
    throw new StartRefusal(
      `The data directory ${directory} has lost ${FILES.rootKeyCheck}: its root key cannot be checked.`,
    )
  }
  writeNew(checkFile, checkValue(key)) // the first start was interrupted between the two files
}

/** Computed with a key that is derived only for this, from the first version, which a rotation keeps. */
function checkValue({ id, versions: [first] }: RootKey): string {
  const checkKey = hkdfSync('sha256', first ?? Buffer.alloc(0), '', CHECK_LABEL, MATERIAL_BYTES)
  return `${createHmac('sha256', Buffer.from(checkKey)).update(id).digest('hex')}\n`
}

const FILE = ownText<RootKeyFile>()

const print = ({ id, createdAt, versions }: RootKey): string =>
  `${FILE.write({
    key_id: id,
    created_at: createdAt.toISOString(),
    versions: versions.map((material) => material.toString('base64')),
  })}\n`

function parse(file: string): RootKey {
  try {
    const { key_id, created_at, versions } = FILE.read(fs.readFileSync(file, 'utf8'))
    const key = {
      id: key_id,
      createdAt: new Date(created_at),
      versions: versions.map((material) => Buffer.from(material, 'base64')),
    }
    const sound = /^[\da-f-]{36}$/.test(key.id) && key.versions.length > 0
    if (sound && key.versions.every(({ length }) => length === MATERIAL_BYTES)) return key
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) throw new StartRefusal(`The root key ${file} cannot be read.`)
    // anything else is not a root key file: refused below
  }
  throw new StartRefusal(`The root key ${file} is damaged.`)
}
