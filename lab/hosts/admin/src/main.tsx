import { createRoot } from 'react-dom/client';
import { Admin, type DataProvider, Resource } from 'react-admin';
import { MethodCreate, MethodList } from './methods.js';
import { MethodEdit } from './method-edit.js';
import { reactAdminProvider } from './react-admin.js';
import { ShippingApi } from './shipping-api.js';

const api = new ShippingApi('/api/projects/acme/sales/orders/shipments/methods');
const dataProvider = reactAdminProvider(api) as DataProvider;
const root = document.querySelector('#root');
if (root)
  createRoot(root).render(
    // Without `disableTelemetry`, react-admin tells its makers where it runs.
    <Admin dataProvider={dataProvider} disableTelemetry>
      <Resource
        name="methods"
        list={MethodList}
        create={MethodCreate}
        edit={MethodEdit}
        recordRepresentation="method_label"
      />
    </Admin>,
  );
