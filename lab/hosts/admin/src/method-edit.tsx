import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { useState } from 'react';
import {
  Edit,
  type UpdateParams,
  useDataProvider,
  useNotify,
  useRedirect,
  useRefresh,
  useUpdate,
} from 'react-admin';
import { MethodForm } from './methods.js';
import { changesOf } from './react-admin.js';
import { ApiError, type Method } from './shipping-api.js';

type Update = Partial<UpdateParams<Method>>;

export function MethodEdit() {
  /** The update that the API has refused with 412. */
  const [refused, setRefused] = useState<Update>();
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const redirect = useRedirect();
  const refresh = useRefresh();

  const onSuccess = () => {
    notify('ra.notification.updated', { messageArgs: { smart_count: 1 } });
    redirect('list', 'methods');
  };
  const onError = (error: Error, params?: Update) => {
    const { status, fields } = error instanceof ApiError ? error : { status: 0, fields: {} };
    if (status === 412) setRefused(params);
    // The form shows the faults of its fields.
    else if (Object.keys(fields).length === 0) notify(error.message, { type: 'error' });
  };
  const [update] = useUpdate<Method>('methods', {}, { onSuccess, onError });

  const loadTheirs = () => {
    setRefused(undefined);
    refresh();
  };
  const saveMine = async ({ id = '', data = {}, previousData }: Update) => {
    setRefused(undefined);
    try {
      const theirs = await dataProvider.getOne<Method>('methods', { id });
      await update('methods', { id, data: changesOf(data, previousData), previousData: theirs.data });
    } catch (error) {
      onError(error as Error);
    }
  };
  return (
    <Edit mutationMode="pessimistic" mutationOptions={{ onError }}>
      <MethodForm />
      {refused && (
        <Dialog open onClose={() => setRefused(undefined)}>
          <DialogTitle>Somebody else has changed this method</DialogTitle>
          <DialogContent>Your changes are not saved yet.</DialogContent>
          <DialogActions>
            <Button onClick={loadTheirs}>Load theirs</Button>
            <Button onClick={() => saveMine(refused)}>Save mine</Button>
          </DialogActions>
        </Dialog>
      )}
    </Edit>
  );
}
