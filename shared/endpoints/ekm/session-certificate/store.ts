import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { ALWAYS } from '../../../store/due.ts'
import { entity } from '../../../store/entity.ts'
import { object } from '../../../base/lazy-fields.ts'
import {
  CERTIFICATE_KIND,
  certificatePurpose,
  HOST_KIND,
  type StoredSessionCertificate,
  type StoredSessionHost,
} from './record.ts'

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

/** Work on a host whose endpoints are not all counted. */
export const COUNT_HOST = 'count-ekm-session-host'

/** Reads served: the number of endpoints at a host; hosts whose endpoints are to be counted. */
export const sessionHosts = entity<StoredSessionHost, object>({
  name: HOST_KIND,
  schema: object(() => ({ id: z.string(), enabled: z.int(), isWhole: z.boolean() })),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ isWhole }) => (isWhole ? undefined : { what: COUNT_HOST, at: ALWAYS }),
})
