import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { entity } from '../../../store/entity.ts'
import { CERTIFICATE_KIND, certificatePurpose, type StoredSessionCertificate } from './record.ts'
import { object } from '../../../http/lazy-fields.ts'

/** Reads served: the certificate of a host; all of them. */
export const sessionCertificates = entity<StoredSessionCertificate, object>({
  name: CERTIFICATE_KIND,
  schema: object(() => ({ id: z.string(), certificate: z.string(), sealed: z.string(), updatedAt: Time.optional() })),
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

export const sealedSessionCertificates = sealingFieldAgain(sessionCertificates, 'all', ({ id }) =>
  certificatePurpose(id),
)
