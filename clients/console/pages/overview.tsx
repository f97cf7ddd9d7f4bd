import { PLACES } from '../clouds.ts'
import { Page } from '../shell/page.tsx'
import { Ages, States, Tiles } from './overview/counts.tsx'
import { Expiries } from './overview/expiries.tsx'
import { FirstSteps } from './overview/first-steps.tsx'
import { NeedsYou } from './overview/needs-you.tsx'

/** The first page: what waits for a person, number and state of keys, expiries. */
export default function Overview() {
  return (
    <Page title="Overview">
      <FirstSteps />
      <NeedsYou places={PLACES} />
      <Tiles clouds={PLACES} />
      <div class="columns even">
        <States clouds={PLACES} />
        <Ages clouds={PLACES} />
      </div>
      <Expiries clouds={PLACES} />
    </Page>
  )
}
