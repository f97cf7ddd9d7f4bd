import { ok, operation, route, type Route } from '../../http/operation.ts'
import { makeKeyCsr } from './make-request.ts'
import { MadeKeyCsr, MakeKeyCsr } from './model.ts'

/** POST /v1/vault/csr: a certificate request, signed with an existing local key or a new one. */
const csr = operation(
  { summary: 'Make CSR of Key', body: MakeKeyCsr, answers: MadeKeyCsr, may: 'key-users' },
  async ({ body, context }) => ok(await makeKeyCsr(context, body)),
)

/** Requests for certificates. */
export const routes: readonly Route[] = [route('POST', '/v1/vault/csr', csr)]
