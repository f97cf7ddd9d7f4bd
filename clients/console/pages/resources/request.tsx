import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { approvedBy, askedCall, forgetAsked, type AskedCall } from '../../approval.ts'
import { CallDialog } from '../../forms/call-dialog.tsx'
import type { Resource } from '../../resources/row.ts'
import { useLive } from '../../live.ts'
import { keymgr, send } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'

/** Shows the requester the next step of their approval request. */
export function Request({ of: { id, state, requester } }: { readonly of: Resource }) {
  const [making, setMaking] = useState<AskedCall>()
  const { data } = useQuery({
    queryKey: ['self'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/user', { signal }),
    staleTime: Infinity,
  })
  const request = String(id)
  useLive({
    key: ['resource', 'approval-requests', request],
    load: (signal) => keymgr.get('/v1/approvals/requests/{id}', { path: { id: request }, signal }),
    isOver: (seen) => seen.state !== 'pending',
  })
  const asked = askedCall(request)
  const isOwn = data !== undefined && requester === data.username
  return (
    <>
      {isOwn && state === 'pending' && (
        <p class="notice">Nothing has changed yet. When others have approved it, you make the call on this page.</p>
      )}
      {isOwn && state === 'approved' && (
        <p class="milder">
          <span>
            {asked === undefined
              ? 'It is approved. The service does not store the values of the call, and this tab does not have them: send the form again with the same values, and it offers this approval.'
              : 'It is approved, and this tab still has the call.'}
          </span>
          {asked !== undefined && (
            <button type="button" class="main" onClick={() => setMaking(asked)}>
              Make the call
            </button>
          )}
        </p>
      )}
      {making !== undefined && (
        <CallDialog
          title="Make the call"
          about="Makes the call as it was asked for. The approval holds for one call."
          fields={[]}
          call={() => approvedBy(request, making.shown)}
          run={() => send(approvedBy(request, making.call))}
          submit="Make the call"
          close={() => setMaking(undefined)}
          done={() => {
            forgetAsked(request)
            tell('The call is made.')
          }}
        />
      )}
    </>
  )
}
