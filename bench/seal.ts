import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, randomFillSync } from 'node:crypto'
import { aadOf, open, seal } from '../shared/crypto/aead.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'

const SIZES = [
  { name: '32 B', bytes: 32, calls: 2_500 },
  { name: '1 KiB', bytes: 1_024, calls: 2_500 },
  { name: '64 KiB', bytes: 65_536, calls: 400 },
] as const

const key = createSecretKey(randomBytes(32))
const aad = aadOf('domain', 'key', '0')
const OPTIONS = { authTagLength: 16 } as const

/** The same bytes, directly from node:crypto: a fresh iv, the ciphertext, its tag. */
function bareSeal(plaintext: Buffer): Buffer {
  const iv = randomFillSync(Buffer.allocUnsafe(12))
  const cipher = createCipheriv('aes-256-gcm', key, iv, OPTIONS).setAAD(aad)
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Does less than a seal: it does not copy the three parts into one value. */
function encryptionAlone(plaintext: Buffer): Buffer {
  const iv = randomFillSync(Buffer.allocUnsafe(12))
  const cipher = createCipheriv('aes-256-gcm', key, iv, OPTIONS).setAAD(aad)
  cipher.update(plaintext)
  cipher.final()
  return cipher.getAuthTag()
}

function bareOpen(sealed: Buffer): Buffer {
  const tagAt = sealed.length - 16
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), OPTIONS)
  decipher.setAAD(aad).setAuthTag(sealed.subarray(tagAt))
  const plaintext = decipher.update(sealed.subarray(12, tagAt))
  decipher.final()
  return plaintext
}

/** Sealing and opening, against a bare loop over node:crypto: at least 0.7 of its rate. */
export async function measure(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { name, bytes, calls } of SIZES) {
    const plaintext = randomBytes(bytes)
    const sealed = seal(key, plaintext, aad)
    const ours = () => seal(key, plaintext, aad)
    figures.push(
      await rateOf(`seal ${name}: rate / node:crypto`, calls, ours, () => bareSeal(plaintext)),
      {
        ...(await rateOf(`seal ${name}: rate / encryption alone`, calls, ours, () => encryptionAlone(plaintext))),
        promise: undefined,
      },
      await rateOf(
        `open ${name}: rate / node:crypto`,
        calls,
        () => open(key, sealed, aad),
        () => bareOpen(sealed),
      ),
    )
  }
  return figures
}

async function rateOf(name: string, calls: number, ours: () => unknown, bare: () => unknown): Promise<Figure> {
  const repeat = (work: () => unknown) => ({
    run: (times: number) => {
      for (let at = 0; at < times; at++) work()
    },
  })
  // A rate is the inverse of a time, so `ours` and `bare` are exchanged.
  const outcome = await compare({ ours: repeat(bare), bare: repeat(ours), rounds: 21, turns: 4, calls })
  const { ratio, oursMs: bareMs, bareMs: oursMs } = outcome
  return { name, measured: ratio, promise: { atLeast: 0.7 }, note: versus({ oursMs, bareMs }) }
}
