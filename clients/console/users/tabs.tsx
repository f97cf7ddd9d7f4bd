import { HOME } from '../home.ts'
import { Tabs } from '../shell/tabs.tsx'

const TABS = [
  { title: 'Users', at: `${HOME}users` },
  { title: 'Groups', at: `${HOME}users/groups` },
] as const

export function UserTabs({ here }: { readonly here: (typeof TABS)[number]['title'] }) {
  return <Tabs label="Users and groups" tabs={TABS} here={here} />
}
