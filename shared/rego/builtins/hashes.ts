import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FunctionBuiltin } from './builtin.ts'
import { chargeText } from './charging.ts'
import { stringOperand } from './operands.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** Fixed cost of a hash, in units of text. */
const HASH_UNITS = 128

const digest =
  (algorithm: string): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    chargeText(context, HASH_UNITS + text.length * 4)
    return createHash(algorithm).update(text, 'utf8').digest('hex')
  }

const hmac =
  (algorithm: string): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    const key = stringOperand(operands, 2)
    chargeText(context, 2 * HASH_UNITS + (text.length + key.length) * 4)
    return createHmac(algorithm, key).update(text, 'utf8').digest('hex')
  }

/** Constant-time for equal lengths. */
const equal: Evaluate = (operands, context) => {
  const [a, b] = [Buffer.from(stringOperand(operands, 1), 'utf8'), Buffer.from(stringOperand(operands, 2), 'utf8')]
  chargeText(context, a.length + b.length)
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Weak hashes serve only for comparison with hashes from elsewhere; the names state the algorithm. */
export const HASHES: readonly FunctionBuiltin[] = [
  ...['md5', 'sha1', 'sha256'].map((name) => ({ name: `crypto.${name}`, arity: 1, evaluate: digest(name) })),
  ...['md5', 'sha1', 'sha256', 'sha512'].map((name) => ({
    name: `crypto.hmac.${name}`,
    arity: 2,
    evaluate: hmac(name),
  })),
  { name: 'crypto.hmac.equal', arity: 2, evaluate: equal },
]
