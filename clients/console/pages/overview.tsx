import { PLACES } from '../clouds.ts'
import { Page } from '../shell/page.tsx'
import { Ages, States, Tiles } from './overview/counts.tsx'
import { Expiries } from './overview/expiries.tsx'
import { FirstSteps } from './overview/first-steps.tsx'
import { FailedJobs, NotConnectedStores } from './overview/troubles.tsx'

/** The first page: number and state of keys, expiries, failures. */
export default function Overview() {
  return (
    <Page title="Overview">
      <FirstSteps />
      <Tiles clouds={PLACES} />
      <div class="columns even">
        <States clouds={PLACES} />
        <Ages clouds={PLACES} />
      </div>
      <div class="columns even">
        <Expiries clouds={PLACES} />
        <div>
          <FailedJobs />
          <NotConnectedStores clouds={PLACES} />
        </div>
      </div>
    </Page>
  )
}
