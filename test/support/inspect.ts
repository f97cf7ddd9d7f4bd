import { expect } from 'vitest'
import type { Holder } from '../functions/vault/vault.ts'
import type { Answered } from './service.ts'

const INSPECT = '/v1/keymgr/ciphertexts/inspect'

/** Asks which key made a ciphertext. */
export const tryInspect = (who: Holder, body: object): Promise<Answered> => who.call('POST', INSPECT, body)

/** The answer about a ciphertext, which must be one of this service. */
export async function inspected(who: Holder, body: object): Promise<any> {
  const answer: any = await who.ok('POST', INSPECT, body)
  expect(answer).toMatchObject({ recognized: true })
  return answer
}

/** Base64 with one flipped bit. */
export function flippedBit(text: string, bit: number): string {
  const bytes = Buffer.from(text, 'base64')
  const at = (bit >> 3) % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
  return bytes.toString('base64')
}
