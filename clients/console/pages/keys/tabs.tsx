import { PLACES } from '../../clouds.ts'
import { VIEWS } from '../../clouds/common.ts'
import { HOME } from '../../home.ts'
import { Tabs } from '../../shell/tabs.tsx'

const TABS = [
  ...VIEWS.map(({ name, title }) => ({ title, at: `${HOME}keys${name === '' ? '' : `?view=${name}`}` })),
  ...PLACES.map(({ name, title }) => ({ title, at: `${HOME}keys/${name}` })),
]

/** Views of all keys, and the list of each place with filters of its own. */
export const KeyTabs = ({ here }: { readonly here: string }) => <Tabs label="Lists of keys" tabs={TABS} here={here} />
