import { CLOUDS } from '../clouds.ts'
import { Page } from '../shell/page.tsx'
import { Ages, States, Tiles } from './overview/counts.tsx'
import { Expiries } from './overview/expiries.tsx'
import { FailedJobs, NotConnectedStores } from './overview/troubles.tsx'

/** The first page: number and state of keys, expiries, failures. */
export default function Overview() {
  return (
    <Page title="Overview">
      <Tiles clouds={CLOUDS} />
      <div class="columns even">
        <States clouds={CLOUDS} />
        <Ages clouds={CLOUDS} />
      </div>
      <div class="columns even">
        <Expiries clouds={CLOUDS} />
        <div>
          <FailedJobs />
          <NotConnectedStores clouds={CLOUDS} />
        </div>
      </div>
    </Page>
  )
}
