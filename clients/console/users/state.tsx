import { Pill } from '../words/states.tsx'
import { isLocked, type User } from './actions.ts'

export function UserState({ user }: { readonly user: User }) {
  if (!user.enabled) return <Pill tone="quiet">Disabled</Pill>
  return isLocked(user) ? <Pill tone="bad">Locked</Pill> : <Pill tone="good">Enabled</Pill>
}
