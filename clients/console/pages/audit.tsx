import { useRoute } from 'preact-iso'
import { HOME } from '../home.ts'
import { Later } from '../shell/later.tsx'
import { Page } from '../shell/page.tsx'
import { Tabs } from '../shell/tabs.tsx'
import { NotFound } from '../words/states.tsx'
import { Heads } from './audit/heads.tsx'
import { Inventory } from './audit/inventory.tsx'
import { Records } from './audit/records.tsx'

const TABS = [
  { name: 'records', title: 'Records', shown: () => <Records of="records" /> },
  { name: 'programs', title: 'Calls of clouds', shown: () => <Records of="client-records" /> },
  { name: 'proofs', title: 'Tree heads', shown: () => <Heads /> },
  { name: 'inventory', title: 'Inventory', shown: () => <Inventory /> },
  {
    ...{ name: 'exports', title: 'Exports' },
    shown: () => <Later load={async () => (await import('./audit/exports.tsx')).Exports} />,
  },
] as const

const LINKS = TABS.map(({ name, title }) => ({ title, at: `${HOME}audit${name === 'records' ? '' : `/${name}`}` }))

/** Audit records with their evidence, their exports, and the cryptography of the service. */
export default function Audit() {
  const { tab = 'records' } = useRoute().params
  const of = TABS.find(({ name }) => name === tab)
  if (of === undefined) return <NotFound />
  return (
    <Page title="Audit">
      <Tabs label="Parts of the audit" tabs={LINKS} here={of.title} />
      {of.shown()}
    </Page>
  )
}
