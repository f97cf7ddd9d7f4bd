import type { RegisteredClient } from '../../../identity/clients/model.ts'
import type { CsrParameters } from '../profiles/model.ts'

/** A request for a client's certificate. */
export interface CertificateOrder {
  readonly clientId: string
  readonly clientName: string
  /** name of the record, for a certificate that is issued here */
  readonly certificateName: string
  /** local authority; default: the oldest active one */
  readonly caId: string | undefined
  readonly days: number
  /** the subject's attribute that receives the client's id, besides UID; `undefined` keeps the subject unchanged */
  readonly dnField: string | undefined
  /** names in the subject if the service creates the key pair */
  readonly names: CsrParameters
}

/** The fields of a client from its certificate, and the key if it was created here (PEM). */
export interface ClientCertificate {
  readonly fields: Pick<
    RegisteredClient,
    'cert' | 'ca_id' | 'sha256_fingerprint' | 'not_before' | 'not_after' | 'authentication_mode'
  > & { readonly serial_number: string }
  readonly key?: string | undefined
}

export const fieldsOf = (
  facts: {
    readonly cert: string
    readonly serialNumber: string
    readonly sha256Fingerprint: string
    readonly notBefore: string
    readonly notAfter: string
  },
  caId: string,
  mode: RegisteredClient['authentication_mode'],
): ClientCertificate['fields'] => ({
  cert: facts.cert,
  ca_id: caId,
  serial_number: facts.serialNumber,
  sha256_fingerprint: facts.sha256Fingerprint,
  not_before: facts.notBefore,
  not_after: facts.notAfter,
  authentication_mode: mode,
})
