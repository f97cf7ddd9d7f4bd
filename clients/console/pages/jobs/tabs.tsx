import { HOME } from '../../home.ts'
import { Tabs } from '../../shell/tabs.tsx'

const TABS = [
  { title: 'Configurations', at: `${HOME}jobs` },
  { title: 'Runs', at: `${HOME}jobs/runs` },
] as const

export function JobTabs({ here }: { readonly here: (typeof TABS)[number]['title'] }) {
  return <Tabs label="Jobs" tabs={TABS} here={here} />
}
