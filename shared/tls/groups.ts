import { createECDH, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { TlsRefusal } from './refusals.ts'

/** The server's half of a key exchange. */
interface Agreed {
  readonly share: Buffer
  /** secret: its owner zeroes it */
  readonly secret: Buffer
}

/** A group of the key exchange. @see RFC 8446 §4.2.7, §4.2.8 */
export interface Group {
  readonly id: number
  /** @throws TlsRefusal illegal_parameter for a share that is not one of the group */
  agree(share: Buffer, own?: KeyObject): Agreed
}

const SPKI_OF_X25519 = Buffer.from('302a300506032b656e032100', 'hex')
const X25519_BYTES = 32
const P256_BYTES = 65
const UNCOMPRESSED = 4

/** The library refuses points of small order, as RFC 7748 §6.1 asks for, and points off the curve. */
function refusingInvalid(agree: () => Agreed): Agreed {
  try {
    return agree()
  } catch {
    throw new TlsRefusal('illegal_parameter')
  }
}

const x25519: Group = {
  id: 0x001d,
  agree: (share, own) => {
    if (share.length !== X25519_BYTES) throw new TlsRefusal('illegal_parameter')
    return refusingInvalid(() => {
      const privateKey = own ?? generateKeyPairSync('x25519').privateKey
      const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
      const publicKey = createPublicKey({ key: Buffer.concat([SPKI_OF_X25519, share]), format: 'der', type: 'spki' })
      return { share: spki.subarray(-X25519_BYTES), secret: diffieHellman({ privateKey, publicKey }) }
    })
  },
}

const p256: Group = {
  id: 0x0017,
  agree: (share) => {
    if (share.length !== P256_BYTES || share[0] !== UNCOMPRESSED) throw new TlsRefusal('illegal_parameter')
    return refusingInvalid(() => {
      const pair = createECDH('prime256v1')
      return { share: pair.generateKeys(), secret: pair.computeSecret(share) }
    })
  },
}

/** The groups of the server in its order of preference. */
export const GROUPS: readonly Group[] = [x25519, p256]
