import type { KeyKindUsed } from './inventory.ts'
import type { Readiness } from './strength.ts'

const AES_256: KeyKindUsed = { algorithm: 'aes', sizeBits: 256 }
const P256: KeyKindUsed = { algorithm: 'ec', sizeBits: 256, curve: 'prime256v1' }
const RSA_2048: KeyKindUsed = { algorithm: 'rsa', sizeBits: 2048 }

/** Algorithms that the service itself uses in every domain, whatever keys exist. */
export const OWN_ALGORITHMS: readonly { readonly kind: KeyKindUsed; readonly purpose: string }[] = [
  { kind: AES_256, purpose: 'sealing of key material and credentials at rest (AES-256-GCM, NIST SP 800-38D)' },
  { kind: P256, purpose: 'signatures of tokens and key passports (ES256, RFC 7518)' },
]

interface SpokenProtocol {
  readonly name: string
  /** protocol type in CycloneDX */
  readonly type: 'tls' | 'other'
  readonly version?: string
  readonly uses: readonly KeyKindUsed[]
  readonly readiness: Readiness
  readonly advice: string
}

const SIGNED = 'nothing: signatures of short-lived tokens are worth forging while these are valid only'

/** Protocols between the service and its callers and clouds. */
export const PROTOCOLS_SPOKEN: readonly SpokenProtocol[] = [
  {
    name: 'TLS',
    type: 'tls',
    version: '1.2 and 1.3',
    uses: [AES_256, P256],
    // The front door negotiates: a client that offers X25519MLKEM768 gets it if the front door supports it.
    readiness: 'vulnerable',
    advice: 'have clients offer the hybrid group X25519MLKEM768, and the front door select it',
  },
  { name: 'JOSE', type: 'other', uses: [P256], readiness: 'vulnerable', advice: SIGNED },
  {
    name: 'X.509',
    type: 'other',
    uses: [P256, RSA_2048],
    readiness: 'vulnerable',
    advice: 'plan for authorities with ML-DSA (RFC 9881) before 2035',
  },
]
