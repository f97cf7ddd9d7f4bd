import { createPrivateKey, type KeyObject } from 'node:crypto'
import { ownText } from '../../toolkit/own-text.ts'
import { issueCertificate, type Issued } from '../../toolkit/x509.ts'
import type { DatacustState } from '../state/state.ts'

/** A client certificate for calls to a customer-held key store. */
export interface ClientCertificate extends Issued {
  /** PEM of only the certificate, which the key store's owner stores. */
  readonly leaf: string
}

/** Issuer of the platform's client certificates. */
export interface Authority {
  /** PEM of the root and the issuing authority, which a gateway must trust, both of them. */
  readonly chain: string
  /** The certificate with an id in a tenant, always the same. */
  readonly certificateOf: (tenantId: string, certificateId: string) => ClientCertificate
}

const ROOT = 'Simulated datacust root'
const ISSUING = 'Simulated datacust issuing authority'
/** Covers every time to which a test moves its clock. */
const VALID = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2049-12-31T00:00:00Z') }

const ISSUED = ownText<Issued>()

/** The authority is stored, so that certificates keep working after a restart. */
export function openAuthority(state: DatacustState): Authority {
  const kept = (name: string, make: () => Issued): Issued =>
    ISSUED.read(state.secret(name, () => Buffer.from(ISSUED.write(make()))).toString('utf8'))
  const issuer = (commonName: string, { key }: Issued): { commonName: string; key: KeyObject } => ({
    commonName,
    key: createPrivateKey(key),
  })
  const root = kept('root', () => issueCertificate({ commonName: ROOT, purpose: 'authority', ...VALID }))
  const issuing = kept('issuing authority', () =>
    issueCertificate({ commonName: ISSUING, issuer: issuer(ROOT, root), purpose: 'authority', ...VALID }),
  )
  return {
    chain: `${root.cert}${issuing.cert}`,
    certificateOf: (tenantId, certificateId) => {
      const { cert: leaf, key } = kept(`client certificate ${tenantId} ${certificateId}`, () =>
        issueCertificate({
          ...{ commonName: `kms-${certificateId}`, issuer: issuer(ISSUING, issuing), purpose: 'client', ...VALID },
        }),
      )
      return { cert: `${leaf}${issuing.cert}`, key, leaf }
    },
  }
}
