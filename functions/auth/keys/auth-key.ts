import { presentAuthKey } from '../../../shared/domain/tokens/signing-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AuthKey } from '../../../shared/model/token.ts'

/** GET /v1/auth/auth-key: the key that signs tokens now. */
export const authKey = operation({ says: 'Get Signing Key', answers: AuthKey, may: 'signed-in' }, async () =>
  ok(await presentAuthKey()),
)
