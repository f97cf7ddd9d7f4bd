import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { constantTimeEqual } from './constant-time.ts'

/**
 * Argon2id (RFC 9106). Ours: 19 MiB, two passes, one lane: the first choice of the OWASP password storage cheat sheet,
 * about 30 ms on one core. The second choice of RFC 9106 §4, 64 MiB and three passes, costs more than twice the 50 ms
 * that a log-in may take, and more memory than a function has for concurrent log-ins.
 */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
/** RFC 9106 §4: 128 bits of salt and 256 bits of tag. */
const SALT_BYTES = 16
const TAG_BYTES = 32

interface Cost {
  /** In KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

const argon2Async = promisify(argon2)

/** Hashes the UTF-8 bytes of the password as given: no normalization, no truncation. */
const tagOf = (password: string, salt: Uint8Array, tagLength: number, cost: Cost): Promise<Uint8Array> =>
  argon2Async('argon2id', { message: Buffer.from(password, 'utf8'), nonce: salt, tagLength, ...cost })

/** @returns PHC string `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, base64 without padding */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const tag = await tagOf(password, salt, TAG_BYTES, COST)
  const { memory, passes, parallelism } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}

/**
 * Whether `password` matches `hash`, at the cost stated in `hash`.
 * @throws Error for a malformed hash: a fault, the stored record is damaged
 */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const { salt, tag, cost } = parse(hash)
  return constantTimeEqual(await tagOf(password, salt, tag.length, cost), tag)
}

/** For an unknown user: always false, after the same work as for a known one. */
export async function verifyAgainstDummy(password: string): Promise<false> {
  const tag = await tagOf(password, randomBytes(SALT_BYTES), TAG_BYTES, COST)
  constantTimeEqual(tag, randomBytes(TAG_BYTES))
  return false
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/

function parse(hash: string): { salt: Buffer; tag: Buffer; cost: Cost } {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash is malformed')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  return { salt: Buffer.from(salt, 'base64'), tag: Buffer.from(tag, 'base64'), cost }
}

const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
