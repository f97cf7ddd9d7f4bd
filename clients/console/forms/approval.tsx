import { useQuery } from '@tanstack/preact-query'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { components } from '../../sdk/api.d.ts'
import { askingFor, chooseApproval, rememberAsked, type NeedsApproval } from '../approval.ts'
import type { Call } from '../calls.ts'
import { HOME } from '../home.ts'
import { firstOf, keymgr, send } from '../service.ts'
import { Failed, Loading } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { BusyButton, CancelButton } from './buttons.tsx'

type Request = components['schemas']['ApprovalRequest']

/** Address of the page of a request. */
const hrefOf = ({ id }: Request): string => `${HOME}administration/approval-requests/${id}`

/** The user's pending and approved requests for this method and address. */
async function openRequestsFor(call: Call, address: string, signal: AbortSignal): Promise<readonly Request[]> {
  const { username } = await keymgr.get('/v1/auth/self/user', { signal })
  const query = { requester: username, state: ['approved', 'pending'], sort: '-createdAt' }
  const { resources } = await firstOf('/v1/approvals/requests', query, signal)
  return resources.filter(
    ({ method, path, query: search }) =>
      method === call.method.toUpperCase() && [path, search].filter(Boolean).join('?').endsWith(address),
  )
}

interface ApprovalProps {
  readonly needed: NeedsApproval
  /** the call without its secrets */
  readonly shown: Call
  /** path and query of the call, below `/api` */
  readonly address: string
  /** sends the form again, with the approval chosen for its call */
  readonly again: () => void
  readonly cancel: (() => void) | undefined
}

/** Shows why a call was refused, and the next step: to use an approved request, or to ask for approval. */
export function Approval({ needed, shown, address, again, cancel }: ApprovalProps) {
  const { call, rules } = needed
  const [made, setMade] = useState<Request>()
  const { data, error } = useQuery({
    queryKey: ['open requests', address, call.method],
    queryFn: ({ signal }) => openRequestsFor(call, address, signal),
    staleTime: 0,
  })
  const id = useId()
  const use = (request: Request): void => {
    chooseApproval(request.id, call)
    again()
  }
  return (
    <section class="approval" aria-labelledby={id}>
      <h2 id={id}>This needs the approval of others</h2>
      <ul class="plain-list">
        {rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      {made === undefined ? (
        <>
          {error !== null && <Failed error={error} />}
          {data === undefined && error === null && <Loading what="Looking for your requests" />}
          {data?.map((request) => (
            <Open key={request.id} request={request} use={() => use(request)} />
          ))}
          <Ask
            {...{ call, cancel }}
            asked={(request) => {
              rememberAsked(request.id, { call, shown })
              setMade(request)
            }}
          />
        </>
      ) : (
        <Asked request={made} close={cancel} />
      )}
    </section>
  )
}

/** A request of the user for a call like this one. */
function Open({ request, use }: { readonly request: Request; readonly use: () => void }) {
  const link = <a href={hrefOf(request)}>{request.reason}</a>
  if (request.state === 'pending') return <p>You have asked already: {link}. It is not approved yet.</p>
  return (
    <p class="milder">
      <span>
        Your request is approved: {link}. It holds for the same values, until <When time={request.expires_at} />.
      </span>
      <button type="button" class="main" onClick={use}>
        Use this approval
      </button>
    </p>
  )
}

interface AskProps {
  readonly call: Call
  readonly asked: (request: Request) => void
  readonly cancel: (() => void) | undefined
}

function Ask({ call, asked, cancel }: AskProps) {
  const field = useRef<HTMLInputElement>(null)
  const [reason, setReason] = useState('')
  const [fault, setFault] = useState('')
  const [isSending, setSending] = useState(false)
  const id = useId()
  useEffect(() => field.current?.focus(), [])
  const ask = async (): Promise<void> => {
    setSending(true)
    try {
      asked((await send(askingFor(call, reason.trim()))) as Request) // the answer of a call with a reason
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
      setSending(false)
    }
  }
  const submit = (): void => {
    if (reason.trim() === '') {
      setFault('Give a reason: the approvers decide by it.')
      field.current?.focus()
    } else if (!isSending) void ask()
  }
  return (
    <>
      <div class="field">
        <label for={id}>Reason</label>
        <input
          ref={field}
          id={id}
          name="reason"
          value={reason}
          maxLength={1024}
          autocomplete="off"
          aria-invalid={fault !== ''}
          aria-describedby={`${id}-hint ${id}-fault`}
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault() // otherwise the browser submits the surrounding form
            submit()
          }}
        />
        <p class="hint" id={`${id}-hint`}>
          The approvers read it. They see the call too, without its secrets.
        </p>
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      </div>
      <div class="buttons">
        <BusyButton class="main" title="Ask for approval" busyTitle="Asking …" isBusy={isSending} onClick={submit} />
        <CancelButton cancel={cancel} />
      </div>
    </>
  )
}

/** Shows the next steps after the request was created. */
function Asked({ request, close }: { readonly request: Request; readonly close: (() => void) | undefined }) {
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => link.current?.focus(), [])
  return (
    <>
      <p role="status">
        You have asked for approval. Nothing has changed yet. The request expires <When time={request.expires_at} />.
      </p>
      <p>
        Once it is approved, make the call on the page of the request, or send this form again with the same values.
      </p>
      <div class="buttons">
        <a class="button main" ref={link} href={hrefOf(request)}>
          Open the request
        </a>
        <CancelButton cancel={close} title="Close" />
      </div>
    </>
  )
}
