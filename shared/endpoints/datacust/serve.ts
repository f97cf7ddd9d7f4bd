import { jsonHeaders } from '../../serving/json-body.ts'
import { serve } from '../../serving/pipeline.ts'
import { DATACUST_ACCESS_LOG } from './access-log.ts'
import { parsePath } from './data/address.ts'
import { admit, authenticate } from './data/admit.ts'
import { errors } from './data/errors.ts'
import { NAME } from './identifiers.ts'
import { verbOf } from './data/verbs.ts'

/** The data plane of external key stores: POST {keystore_url}/…, with the client certificate of the key store. */
export const handler = serve({
  accessLog: DATACUST_ACCESS_LOG,
  errors,
  answerWithinMs: 3_000, // Ours: it is not public how long the platform waits.
  headers: jsonHeaders,
  parsePath,
  authenticate,
  resource: admit,
  clouds: ['datacust-ekm', NAME],
  blockedBy: ({ keystore }, { key }) => [keystore.id, key],
  verb: verbOf,
  read: (_request, call) => call,
})
