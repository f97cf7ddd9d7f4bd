import { absoluteOf, When } from '../../words/when.tsx'
import type { ShownKey } from './shown-key.ts'

/** Members of the keys of every cloud. */
interface AtCloud {
  readonly gone?: boolean
  readonly synced_at?: string
}

/** What is wrong with a key, above everything else. */
export function Warnings({ cloud, of, summary: { deletedAt } }: ShownKey) {
  const { gone, synced_at: syncedAt } = of as AtCloud // absent in keys of this service
  if (gone === true)
    return (
      <p class="band">
        <b>Gone from {cloud.title}.</b> It was no longer there when its container was read
        {syncedAt !== undefined && (
          <>
            {' '}
            (<When time={syncedAt} />)
          </>
        )}
        . The record stays here.
      </p>
    )
  if (deletedAt === undefined || Date.parse(deletedAt) < Date.now()) return null
  return (
    <p class="band">
      <b>
        {cloud.title} deletes it <When time={deletedAt} />.
      </b>{' '}
      Until {absoluteOf(deletedAt)} it can be brought back.
    </p>
  )
}
