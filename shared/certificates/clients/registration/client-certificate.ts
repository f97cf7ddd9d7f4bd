import type { RegisteredClient } from '../../../identity/clients/model.ts'
import type { CsrParameters } from '../profiles/model.ts'

/** The certificate that a client is to have. */
export interface CertificateOrder {
  readonly clientId: string
  readonly clientName: string
  /** name of the record of a certificate that is issued here */
  readonly certificateName: string
  /** local authority; without it, the oldest that is active */
  readonly caId: string | undefined
  readonly days: number
  /** the attribute of its subject that gets the id of the client, besides UID; none where the subject stays as it is */
  readonly dnField: string | undefined
  /** names in the subject where the service makes the key pair */
  readonly names: CsrParameters
}

/** The fields of a client that its certificate brings, and the key that was made for it (PEM). */
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
