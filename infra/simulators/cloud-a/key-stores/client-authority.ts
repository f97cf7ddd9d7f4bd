import { createPrivateKey, randomBytes } from 'node:crypto'
import { issueCertificate, type Issued } from '../../toolkit/x509.ts'

/** Issuer of the client certificates that the cloud presents to external key stores. */
export interface ClientAuthority {
  /** PEM of the issuer that proxies must trust if they require a client certificate. */
  readonly anchor: string
  /** The client certificate of a region, always the same. */
  readonly certificateFor: (region: string) => Issued
}

const AUTHORITY = 'Simulated cloud-a client authority'
/** Covers every time to which a test moves its clock. */
const VALID = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2049-12-31T00:00:00Z') }

/** Ours: new in each simulator, since its key is not stored. */
export function createClientAuthority(): ClientAuthority {
  const name = `${AUTHORITY} ${randomBytes(4).toString('hex')}` // authorities of two simulators have different names
  const authority = issueCertificate({ commonName: name, purpose: 'authority', ...VALID })
  const issuer = { commonName: name, key: createPrivateKey(authority.key) }
  const issued = new Map<string, Issued>()
  return {
    anchor: authority.cert,
    certificateFor: (region) => {
      const commonName = `cks.kms.${region}.amazonaws.com`
      const found = issued.get(region) ?? issueCertificate({ commonName, issuer, purpose: 'client', ...VALID })
      issued.set(region, found)
      return found
    },
  }
}
