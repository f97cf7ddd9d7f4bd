import type { PlaceRow } from '../../clouds/row.ts'
import { Calendar } from '../../figures/calendar.tsx'
import { HOME } from '../../home.ts'
import { counted } from '../../words/numbers.ts'
import { Settling } from '../../words/settling.tsx'
import { Empty } from '../../words/states.tsx'
import { When } from '../../words/when.tsx'
import { DAYS, NO_EXPIRINGS as NONE, startOfDay, useExpirings } from './expirings.ts'

const LISTED = 8
const WAITING = { data: undefined, error: null }

/** Keys that expire in the next 90 days: a calendar, and the first keys by name. */
export function Expiries({ clouds }: { readonly clouds: readonly PlaceRow[] }) {
  const today = startOfDay()
  const answers = useExpirings(clouds)
  const items = clouds
    .flatMap((cloud, at) =>
      (answers[at]?.data ?? NONE).items.map((item) => ({
        ...item,
        href: `${HOME}keys/${cloud.name}/${item.id}`,
        cloud: cloud.title,
      })),
    )
    .filter(({ time }) => Date.parse(time) >= today)
    .toSorted((a, b) => a.time.localeCompare(b.time))
  const cut = clouds.filter((_, at) => (answers[at]?.data ?? NONE).total > (answers[at]?.data ?? NONE).items.length)
  return (
    <section>
      <h2>Expires in the next {DAYS} days</h2>
      <Settling sources={clouds.map(({ title }, at) => ({ title, answer: answers[at] ?? WAITING }))}>
        {() => (
          <>
            <Calendar
              caption={`${counted(items.length, 'key')}, by the day (UTC)`}
              noun="key"
              from={today}
              days={DAYS}
              items={items}
            />
            {items.length === 0 && <Empty>No key expires in this time.</Empty>}
            <ul class="plain-list">
              {items.slice(0, LISTED).map(({ id, title, href, cloud, time }) => (
                <li key={id}>
                  <a href={href}>{title}</a> <span class="quiet">{cloud}</span> <When time={time} />
                </li>
              ))}
            </ul>
            {cut.length > 0 && (
              <p class="quiet">There are too many to show them all of {cut.map(({ title }) => title).join(', ')}.</p>
            )}
            {items.length > LISTED && <p class="quiet">And {items.length - LISTED} more.</p>}
          </>
        )}
      </Settling>
    </section>
  )
}
