import { useQuery } from '@tanstack/preact-query'
import { useEffect, useId, useRef } from 'preact/hooks'
import { logInForm, type Known } from '../../web/log-in.ts'
import { HOME } from '../home.ts'
import { forgetRecent } from '../search/recent.ts'
import { keymgr, session } from '../service.ts'

export interface ChangeDomainProps {
  /** name of the domain to change to */
  readonly domain: string
  /** name of the domain of the session */
  readonly from: string
  readonly close: () => void
}

/** Users of other domains than the root log in to their own only. */
const ROOT = 'root'
/** The connection of users whom no directory or provider knows. */
const OF_THIS_SERVICE = 'local_account'

/**
 * Logs in to another domain: a token is valid in one domain only, so the service asks for the password or the provider
 * again. Until the log-in succeeds, the session stays in its domain.
 */
export default function ChangeDomain({ domain, from, close }: ChangeDomainProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const id = useId()
  const { data } = useQuery({
    queryKey: ['self'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/user', { signal }),
    staleTime: Infinity,
  })
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (data === undefined) return
    const known: Known = {
      ...{ domain, name: data.username },
      ...(domain !== ROOT && { owner: ROOT }),
      ...(data.connection !== OF_THIS_SERVICE && { connection: data.connection }),
    }
    const done = (): void => {
      forgetRecent()
      location.assign(HOME) // nothing of the former domain stays in the memory of the page
    }
    place.current?.replaceChildren(logInForm(session, done, known))
    place.current?.querySelector<HTMLInputElement>('[name=password]')?.focus()
  }, [data])
  return (
    <dialog ref={dialog} class="change-domain" aria-labelledby={id} onClose={close}>
      <h2 id={id}>Change to {domain}</h2>
      <p>
        A log-in is for one domain. Until you are logged in to {domain}, you stay in {from}.
      </p>
      <div ref={place} />
      <button type="button" class="cancel" onClick={() => dialog.current?.close()}>
        Stay in {from}
      </button>
    </dialog>
  )
}
