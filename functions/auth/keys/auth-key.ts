import { presentAuthKey } from '../../../shared/identity/tokens/signing-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AuthKey } from '../../../shared/identity/tokens/model.ts'

/** GET /v1/auth/auth-key: the key that signs tokens now. */
export const authKey = operation({ says: 'Get Signing Key', answers: AuthKey, may: 'signed-in' }, async () =>
  ok(await presentAuthKey()),
)
