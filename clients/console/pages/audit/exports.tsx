import { useQuery } from '@tanstack/preact-query'
import { useId, useState } from 'preact/hooks'
import { HOME } from '../../home.ts'
import { keymgr } from '../../service.ts'
import { CopiedBlock } from '../../words/copied.tsx'
import { Empty, Failed, Loading } from '../../words/states.tsx'
import { When } from '../../words/when.tsx'
import { exportCommand } from './export-command.ts'

const DAY_MS = 86_400_000
const DAYS = 30
const CREDENTIALS_SHOWN = 20
const CREDENTIALS = `${HOME}administration/platform-credentials`

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** How a program fetches the records of a time, and the credentials that let it. */
export function Exports() {
  return (
    <div class="columns even">
      <Command />
      <Credentials />
    </div>
  )
}

function Command() {
  const now = Date.now()
  const [from, setFrom] = useState(dayOf(now - DAYS * DAY_MS))
  const [to, setTo] = useState(dayOf(now))
  const isRange = from !== '' && to !== '' && from < to
  return (
    <section class="card">
      <h2>Fetch the records of a time</h2>
      <p>
        The records come as a ZIP file with the evidence that <code>keymgr-verify</code> checks. Set CLIENT_ID and
        CLIENT_SECRET to those of a platform credential before you run this.
      </p>
      <div class="filters">
        <div class="fields">
          <Day label="From" value={from} set={setFrom} />
          <Day label="To" value={to} set={setTo} />
        </div>
      </div>
      {isRange ? (
        <CopiedBlock what="command" text={exportCommand(location.origin, startOf(from), startOf(to))} />
      ) : (
        <p class="fault" role="status">
          The first day must be before the last.
        </p>
      )}
    </section>
  )
}

/** Midnight, UTC. */
const startOf = (day: string): string => `${day}T00:00:00Z`

interface DayProps {
  readonly label: string
  readonly value: string
  readonly set: (day: string) => void
}

function Day({ label, value, set }: DayProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} type="date" value={value} onInput={({ currentTarget }) => set(currentTarget.value)} />
      <p class="hint">At midnight, UTC.</p>
    </div>
  )
}

function Credentials() {
  const { data, error } = useQuery({
    queryKey: ['platform credentials'],
    queryFn: ({ signal }) =>
      keymgr.get('/v1/audit/platform-credentials', { query: { limit: CREDENTIALS_SHOWN }, signal }),
  })
  return (
    <section class="card">
      <h2>Platform credentials</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading />}
      {data?.total === 0 && <Empty>No program fetches the audit log.</Empty>}
      <ul class="plain-list">
        {data?.resources.map(({ id, name, createdAt }) => (
          <li key={id}>
            <a href={`${CREDENTIALS}/${id}`}>{name}</a>, made <When time={createdAt} />
          </li>
        ))}
      </ul>
      {data !== undefined && data.total > CREDENTIALS_SHOWN && <a href={CREDENTIALS}>All {data.total}</a>}
      <a class="button" href={`${CREDENTIALS}/add`}>
        Make a platform credential
      </a>
    </section>
  )
}
