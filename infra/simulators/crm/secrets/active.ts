import type { HeldSecret } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'

/** Makes a secret the active one of its type; the former active one is archived. */
export function activate(state: CrmState, secret: HeldSecret, by: { readonly id: string }): void {
  const changed = { changedAt: state.now(), changedBy: by.id }
  const former = state
    .secrets(secret.organizationId)
    .filter(({ id, type, status }) => id !== secret.id && type === secret.type && status === 'ACTIVE')
  for (const each of former) Object.assign(each, changed, { status: 'ARCHIVED' })
  Object.assign(secret, changed, { status: 'ACTIVE', retries: undefined })
  state.save('secret', [...former, secret])
}
