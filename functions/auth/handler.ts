import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { authKey } from './keys/auth-key.ts'
import { jwks } from './keys/jwks.ts'
import { rotate } from './keys/rotate.ts'
import { change } from './password/change.ts'
import { listDomains } from './self/domains.ts'
import { getUser } from './self/get-user.ts'
import { getPasswordPolicy } from './self/password-policy.ts'
import { updateUser } from './self/update-user.ts'
import { create } from './tokens/create.ts'
import { remove } from './tokens/delete.ts'
import { get } from './tokens/get.ts'
import { list } from './tokens/list.ts'
import { logOutHere } from './tokens/log-out.ts'
import { revoke } from './tokens/revoke.ts'

/** Tokens, the keys that sign them, and what callers may know and change of themselves. */
export const routes: readonly Route[] = [
  route('POST', '/v1/auth/tokens', create),
  route('GET', '/v1/auth/tokens', list),
  route('GET', '/v1/auth/tokens/{id}', get),
  route('DELETE', '/v1/auth/tokens/{id}', remove),
  route('POST', '/v1/auth/revoke', revoke),
  route('POST', '/v1/auth/logout', logOutHere),
  route('GET', '/v1/auth/jwks.json', jwks),
  route('GET', '/.well-known/jwks.json', jwks),
  route('GET', '/v1/auth/auth-key', authKey),
  route('POST', '/v1/auth/rotate-auth-key', rotate),
  route('GET', '/v1/auth/self/user', getUser),
  route('PATCH', '/v1/auth/self/user', updateUser),
  route('GET', '/v1/auth/self/domains', listDomains),
  route('GET', '/v1/auth/self/pwdpolicy', getPasswordPolicy),
  route('PATCH', '/v1/auth/changepw', change),
]

export const handler = serve(routes)
