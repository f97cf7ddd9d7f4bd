import { ok, operation, route, type Route } from '../../http/operation.ts'
import { inspectCiphertext } from './inspect.ts'
import { InspectCiphertext, Inspection } from './model.ts'

/**
 * POST /v1/keymgr/ciphertexts/inspect. Ours: for administrators of endpoints, because the answer names endpoints and
 * their callers. It leaves an audit record.
 */
const inspect = operation(
  { summary: 'Inspect Ciphertext', body: InspectCiphertext, answers: Inspection, may: 'keymgr-admins' },
  async ({ body, context }) => ok(await inspectCiphertext(context, body)),
)

export const routes: readonly Route[] = [route('POST', '/v1/keymgr/ciphertexts/inspect', inspect)]
