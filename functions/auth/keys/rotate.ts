import { rotateAuthKey } from '../../../shared/identity/tokens/signing-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AuthKey } from '../../../shared/identity/tokens/model.ts'

/** POST /v1/auth/rotate-auth-key: a new key signs from now on; old tokens live on until they expire. */
export const rotate = operation({ says: 'Rotate Signing Key', answers: AuthKey, may: 'admins' }, async ({ context }) =>
  ok(await rotateAuthKey(context)),
)
