#!/usr/bin/env node
/**
 * keymgr-verify <export.zip> [--heads <file>] [--key <file or thumbprint>] [--json]
 * keymgr-verify passport <file> --key <file> [--json]
 * keymgr-verify proof <file> --key <file> [--json]
 * Reports whether an export of audit records, the passport of a key, or an audit record with its proof of inclusion is
 * unchanged since the service created it. It reads only these files. Exits with 0 if it is intact, 1 if it was tampered with, 2 if it cannot be read.
 */
import * as fs from 'node:fs'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { isObject, jsonOf, type Fields } from '../../shared/base/json.ts'
import { verifyPassport, type KeySet } from './passport.ts'
import { verifyProof } from './proof.ts'
import { isIntact, told, toldOfPassport, toldOfProof } from './report.ts'
import { rootsOf, type TreeTask } from './tree.ts'
import { verify } from './verify.ts'
import { Unreadable } from './zip-reader.ts'

const USAGE = `Usage: keymgr-verify <export.zip> [--heads <file>] [--key <file or thumbprint>] [--json]
       keymgr-verify passport <file> --key <file> [--json]
       keymgr-verify proof <file> --key <file> [--json]
A file of keys is a JWK or a JWK set`
const INTACT = 0
const TAMPERED = 1
const UNREADABLE = 2

function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (cause) {
    throw new Unreadable(`${file} cannot be read`, { cause })
  }
}

/** Keys of a file: a JWK, or a set of them. */
function keysIn(file: string): readonly Fields[] {
  const value = jsonOf(textOf(file))
  const keys = isObject(value) && Array.isArray(value.keys) ? value.keys.filter(isObject) : [value].filter(isObject)
  if (keys.length === 0) throw new Unreadable(`${file} is neither a JWK nor a JWK set`)
  return keys
}

/**
 * The arguments. A thumbprint may begin with a hyphen, so it is joined to its option; otherwise it would look like an
 * option.
 */
function argumentsGiven(): string[] {
  const given = process.argv.slice(2)
  const at = given.indexOf('--key')
  const value = given[at + 1]
  return at === -1 || value === undefined ? given : given.toSpliced(at, 2, `--key=${value}`)
}

function options() {
  try {
    const { values, positionals } = parseArgs({
      args: argumentsGiven(),
      allowPositionals: true,
      options: { heads: { type: 'string' }, key: { type: 'string' }, json: { type: 'boolean' } },
    })
    const [first = ''] = positionals
    const kind = Object.hasOwn(KINDS, first) ? (first as Kind) : undefined
    const [file, more] = kind === undefined ? positionals : positionals.slice(1)
    if (file === undefined || more !== undefined) throw new Error('one file')
    return { ...values, file, kind }
  } catch {
    throw new Unreadable(USAGE)
  }
}

type Options = ReturnType<typeof options>

/** Signed texts besides exports, by the word that precedes the file in the command line. */
const KINDS = { passport: ofPassport, proof: ofProof } as const
type Kind = keyof typeof KINDS

const tell = (lines: readonly string[]): boolean => process.stdout.write(`${lines.join('\n')}\n`)

async function ofExport({ file, heads, key, json }: Options): Promise<boolean> {
  const trusted = key !== undefined && fs.existsSync(key) ? keysIn(key) : key
  const wishes = { heads: heads === undefined ? [] : textOf(heads).split('\n'), key: trusted }
  const verdict = await verify(file, { ...wishes, program: new URL(import.meta.url) })
  tell(json ? [JSON.stringify({ intact: isIntact(verdict), ...verdict })] : told(file, verdict))
  return isIntact(verdict)
}

function ofPassport(file: string, keys: KeySet, json: boolean): boolean {
  const check = verifyPassport(textOf(file), keys)
  const { isGenuine, ...rest } = check
  tell(json ? [JSON.stringify({ intact: isGenuine, ...rest })] : toldOfPassport(file, check))
  return isGenuine
}

function ofProof(file: string, keys: KeySet, json: boolean): boolean {
  const check = verifyProof(textOf(file), keys)
  const { isProven, ...rest } = check
  tell(json ? [JSON.stringify({ intact: isProven, ...rest })] : toldOfProof(file, check))
  return isProven
}

/** The key is required: a signed text contains none, and a key inside it would prove nothing. */
function ofSigned(kind: Kind, { file, key, json = false }: Options): boolean {
  if (key === undefined) throw new Unreadable(USAGE)
  return KINDS[kind](file, { keys: keysIn(key) }, json)
}

async function run(): Promise<number> {
  const given = options()
  const intact = given.kind === undefined ? await ofExport(given) : ofSigned(given.kind, given)
  return intact ? INTACT : TAMPERED
}

if (isMainThread)
  try {
    process.exitCode = await run()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    process.stderr.write(`${error.message}.\n`)
    process.exitCode = UNREADABLE
  }
else parentPort?.postMessage(rootsOf(workerData as TreeTask))
